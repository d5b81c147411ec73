#include "tests/router/job/simulation/scenario.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "hal/random.hpp"

namespace toroid::job_simulation {
namespace {

constexpr std::array kFates{
    Fate::never_starts, Fate::starts_late,    Fate::wrong_size, Fate::wrong_key,   Fate::dies,
    Fate::dies,         Fate::dies,           Fate::dies,       Fate::loses_power, Fate::stops,
    Fate::stops_long,   Fate::stops_for_ever, Fate::is_cut,     Fate::is_cut_long, Fate::fails,
    Fate::leaves,       Fate::mistakes,       Fate::computes};

constexpr std::array<const char*, 16> kNames{
    "-",       "never starts", "starts late", "has a wrong size", "has a wrong key",
    "dies",    "loses power",  "stops",       "stops long",       "stops for ever",
    "is cut",  "is cut long",  "fails",       "leaves",           "calls another collective",
    "computes"};

bool one_in(Random& random, std::uint32_t count) {
  return random.below(count) == 0;
}

/// A time before, while or after the processes join, or during their runs.
microseconds some_time(Random& random) {
  constexpr std::array kWithin{20'000U, 320'000U, 1'000'000U, 3'000'000U};
  return microseconds(random.below(kWithin[random.below(kWithin.size())]));
}

JobOptions draw_options(Random& random) {
  JobOptions options;
  options.patience = milliseconds(2000 + random.below(2000));
  options.heartbeat = milliseconds(20 + random.below(100));
  options.silence = milliseconds(800 + random.below(800));
  options.patience_after_failure = milliseconds(500 + random.below(1000));
  return options;
}

LinkOptions draw_links(Random& random) {
  return {.latency = microseconds(random.coin() ? 10 + random.below(300) : 20'000),
          .window = random.coin() ? std::size_t{1} << 16 : 64 + random.below(2000)};
}

Fate draw_fate(unsigned rank, Random& random) {
  const Fate fate = kFates[random.below(kFates.size())];
  const bool joins = fate == Fate::wrong_size || fate == Fate::wrong_key;
  return rank == 0 && joins ? Fate::dies : fate;
}

void give_fate(Scenario& scenario, Random& random) {
  const unsigned rank = random.below(scenario.size());
  Plan& plan = scenario.plans[rank];
  if (plan.fate != Fate::none) return;
  plan.fate = draw_fate(rank, random);
  plan.when = some_time(random);
  plan.phase = 1 + random.below(5);
  const milliseconds silence = scenario.options.silence;
  const bool is_long = plan.fate == Fate::stops_long || plan.fate == Fate::is_cut_long;
  plan.length = is_long
                    ? 3 * silence + milliseconds(random.below(4000))
                    : milliseconds(random.below(static_cast<std::uint32_t>(silence.count()) / 3));
  if (plan.fate == Fate::starts_late)
    plan.start = scenario.options.patience + kStartsWithin + milliseconds(600 + random.below(3000));
}

void draw_input(Scenario& scenario, Random& random) {
  scenario.plans[random.below(scenario.size())].input = Input(1 + random.below(3));
}

Scenario::Ban draw_ban(Random& random) {
  return one_in(random, 2) ? Scenario::Ban::none : Scenario::Ban(1 + random.below(2));
}

/// The one pair is of the last process and process 0.
bool is_banned(Scenario::Ban ban, unsigned rank, unsigned other, unsigned size) {
  const bool is_the_one = rank == size - 1 && other == 0;
  return rank != other && (ban == Scenario::Ban::all || (ban == Scenario::Ban::one && is_the_one));
}

}  // namespace

bool Scenario::has_equal_inputs() const {
  return std::ranges::all_of(plans, [&](const Plan& p) { return p.input == Input::common; });
}

bool Scenario::can_open(unsigned rank, unsigned other) const {
  return plans[rank].shm == plans[other].shm && !is_banned(open_ban, rank, other, size());
}

bool Scenario::can_read(unsigned rank, unsigned other) const {
  return !is_banned(read_ban, rank, other, size());
}

Scenario Scenario::of(std::uint64_t seed) {
  Random random(seed, 1);
  Scenario scenario{.options = draw_options(random),
                    .links = draw_links(random),
                    .delay = microseconds(one_in(random, 4) ? 30'000 : 10 + random.below(500))};
  scenario.plans.resize(2 + random.below(4));
  const bool together = random.coin();
  const bool one_host = random.coin();
  for (Plan& plan : scenario.plans) {
    if (!together) plan.start = milliseconds(random.below(kStartsWithin.count()));
    plan.host = one_host ? 0 : random.below(3);
    plan.shm = one_in(random, 8) ? 1 : 0;
  }
  const bool is_calm = one_in(random, 6);
  const unsigned faults = is_calm ? 0 : random.below(4) == 0 ? 2 : 1;
  for (unsigned i = 0; i < faults; ++i)
    if (!one_in(random, 4)) give_fate(scenario, random);
  if (one_in(random, 8)) draw_input(scenario, random);
  if (!is_calm && one_in(random, 8)) scenario.launcher_dies = some_time(random);
  scenario.launcher_tells = one_in(random, 3);
  scenario.has_double = one_in(random, 10) && scenario.plans.back().fate == Fate::none;
  scenario.strangers = one_in(random, 6) ? 1 + random.below(3) : 0;
  scenario.runs = 1 + random.below(2);
  scenario.numbers = random.below(40);
  scenario.stalls = one_in(random, 10);
  scenario.on_loss = one_in(random, 3) ? OnLoss::go_on : OnLoss::fail;
  if (one_in(random, 8)) scenario.sleeps = milliseconds(350) + some_time(random);
  if (one_in(random, 4)) scenario.open_ban = draw_ban(random);
  scenario.read_ban = draw_ban(random);
  scenario.tells_difference = random.coin();
  return scenario;
}

std::string Scenario::text() const {
  std::string text;
  for (unsigned rank = 0; rank < size(); ++rank) {
    const Plan& plan = plans[rank];
    if (plan.fate != Fate::none)
      fmt::format_to(std::back_inserter(text), "process {} {} at {} ms; ", rank,
                     kNames[static_cast<std::size_t>(plan.fate)], plan.when.count() / 1000);
  }
  if (launcher_dies)
    fmt::format_to(std::back_inserter(text), "the launcher dies at {} ms; ",
                   launcher_dies->count() / 1000);
  if (sleeps) text += fmt::format("all sleep at {} ms; ", sleeps->count() / 1000);
  if (!has_equal_inputs())
    text += tells_difference ? "inputs differ, and the job fails; " : "inputs differ; ";
  if (on_loss == OnLoss::go_on) text += "the run goes on; ";
  if (has_double) text += "two processes claim the last rank; ";
  if (strangers > 0) text += "strangers connect; ";
  if (launcher_tells) text += "the launcher tells of deaths; ";
  return fmt::format("{}{} processes", text, size());
}

}  // namespace toroid::job_simulation
