#include "tests/router/job/simulation/world.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

#include "router/job/job.hpp"
#include "router/job/member.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job_simulation {
namespace {

using std::chrono::seconds;
using termination::Verdict;

constexpr auto kNever = Clock::time_point::max();
/// Time for messages, turns and polls, on top of a limit.
constexpr milliseconds kSlack{700};
/// Time for everything that a program does without trouble, including a stall.
constexpr seconds kWork{8};
/// Time of a process to say goodbye.
constexpr milliseconds kGoodbye{2500};

/// The ranks that follow "process " or "processes " at the beginning of a text.
std::vector<unsigned> ranks_named(const std::string& text) {
  std::vector<unsigned> ranks;
  if (!text.starts_with("process")) return ranks;
  for (std::size_t i = text.find(' ') + 1; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) break;
    std::size_t length = 0;
    ranks.push_back(static_cast<unsigned>(std::stoul(text.substr(i), &length)));
    i += length;
    if (!text.substr(i).starts_with(", ")) break;
    i += 2;
  }
  return ranks;
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != text.npos;
}

bool is_fate_of_start(Fate fate) {
  return fate == Fate::never_starts || fate == Fate::starts_late || fate == Fate::wrong_size ||
         fate == Fate::wrong_key;
}

}  // namespace

World::World(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario), random_(seed, 3), net_(scenario.size() + 2, scenario.links, seed) {
  const unsigned count = size() + (scenario.has_double ? 1 : 0);
  for (unsigned number = 0; number < count; ++number)
    processes_.push_back(
        std::make_unique<Process>(net_, scenario_, number, std::min(number, size() - 1), seed));
  stopped_until_.resize(count);
  for (unsigned rank = 0; rank < size(); ++rank) members_.push_back(processes_[rank].get());
  plan_starts();
  plan_fates();
  plan_launcher();
  plan_strangers();
  if (scenario.sleeps) at(*scenario.sleeps, [this] { sleep(); });
}

void World::at(Clock::duration after_begin, std::function<void()> event) {
  events_.emplace(begin_ + after_begin, std::move(event));
  last_event_ = std::max(last_event_, begin_ + after_begin);
}

// What happens.

void World::plan_starts() {
  for (unsigned number = 0; number < processes_.size(); ++number) {
    const Plan& plan = process(number).plan();
    if (is_fate_of_start(plan.fate)) process(number).trouble();
    if (plan.fate == Fate::never_starts) continue;
    const bool is_double = number >= size();
    at(is_double ? milliseconds(random_.below(kStartsWithin.count())) : plan.start,
       [this, number] { start(number); });
  }
}

void World::start(unsigned number) {
  process(number).start();
  net_.sleep(number, net_.now());
  if (launcher_died_) tell_of_launcher(number);
}

/// A process watches its launcher by itself.
void World::tell_of_launcher(unsigned number) {
  at(net_.now() - begin_ + milliseconds(random_.below(500)), [this, number] {
    if (process(number).is_alive())
      process(number).member()->hear_end_of_launcher("the launcher has ended");
  });
}

void World::plan_fates() {
  for (unsigned rank = 0; rank < size(); ++rank) plan_fate(rank);
}

void World::plan_fate(unsigned rank) {
  const Plan& plan = scenario_.plans[rank];
  Process& victim = process(rank);
  const bool lasts = plan.fate == Fate::stops_for_ever;
  switch (plan.fate) {
    case Fate::dies:
      return at(plan.when, [this, &victim] { kill(victim, false); });
    case Fate::loses_power:
      return at(plan.when, [this, &victim] { kill(victim, true); });
    case Fate::stops:
    case Fate::stops_long:
    case Fate::stops_for_ever:
      return at(plan.when, [this, &victim, &plan, lasts] {
        stop(victim, lasts ? std::nullopt : std::optional(plan.length));
      });
    case Fate::is_cut:
    case Fate::is_cut_long:
      return at(plan.when, [this, &victim, &plan] { cut(victim, plan.length); });
    default:
      return;
  }
}

/// A process that dies before its start does not start.
void World::kill(Process& victim, bool silently) {
  if (victim.has_started() && !victim.is_alive()) return;
  victim.trouble();
  const unsigned rank = victim.rank();
  if (silently) net_.cut(rank, true);
  victim.die();
  stopped_until_[rank] = kNever;
  if (scenario_.launcher_tells) tell_of_death(rank);
}

void World::tell_of_death(unsigned rank) {
  for (unsigned number = 0; number < processes_.size(); ++number)
    at(net_.now() - begin_ + milliseconds(random_.below(200)), [this, number, rank] {
      if (process(number).is_alive()) process(number).member()->hear(rank, "its host is down");
    });
}

void World::stop(Process& victim, std::optional<milliseconds> length) {
  if (!victim.is_alive()) return;
  if (victim.plan().fate != Fate::stops) victim.trouble();
  Time& until = stopped_until_[victim.rank()];
  until = length ? std::max(until, net_.now() + *length) : kNever;
  if (length) last_event_ = std::max(last_event_, net_.now() + *length);
}

void World::cut(Process& victim, milliseconds length) {
  if (!victim.is_alive()) return;
  if (victim.plan().fate != Fate::is_cut) victim.trouble();
  net_.cut(victim.rank(), true);
  at(net_.now() - begin_ + length, [this, rank = victim.rank()] {
    net_.cut(rank, false);
    for (unsigned number = 0; number < processes_.size(); ++number)
      net_.wake(number, net_.now() + net_.latency());
  });
}

void World::plan_launcher() {
  if (!scenario_.launcher_dies) return;
  at(*scenario_.launcher_dies, [this] {
    launcher_died_ = net_.now();
    for (unsigned number = 0; number < processes_.size(); ++number)
      if (process(number).is_alive()) tell_of_launcher(number);
  });
}

/// Nobody may take the time in which all slept for anybody's silence. The patience for joining and
/// for goodbyes goes on, so nobody sleeps then.
void World::sleep() {
  for (const Process* p : members_)
    if (!p->has_joined() || p->has_ended() || !p->is_alive()) return;
  for (const auto& p : processes_)
    if (p->is_alive() && !p->has_joined()) return;
  constexpr milliseconds kSleep{3000};
  for (Time& until : stopped_until_)
    until = std::max(until, net_.now() + kSleep + milliseconds(random_.below(50)));
  awake_at_ = net_.now() + kSleep;
  last_event_ = std::max(last_event_, *awake_at_);
}

/// Strangers say nothing, or something that no process says.
void World::plan_strangers() {
  for (unsigned i = 0; i < scenario_.strangers; ++i)
    at(milliseconds(random_.below(600)), [this, speaks = random_.coin()] { visit(speaks); });
}

void World::visit(bool speaks) {
  if (!net_.is_listening(0)) return;
  strangers_.push_back(std::make_unique<SimulatedStream>(net_, net_.connect(size() + 1, 0), 0));
  if (!speaks) return;
  at(net_.now() - begin_ + milliseconds(50), [stream = strangers_.back().get()] {
    const std::array<std::byte, 9> nonsense{std::byte{1}};
    stream->write(nonsense);
  });
}

// The course of a run.

void World::run(Tally& tally) {
  while (step()) ++turns_;
  check_outcomes();
  ++tally.runs;
  tally.turns += turns_;
  tally.failed +=
      std::ranges::any_of(processes_, [](const auto& p) { return p->failed_at().has_value(); });
}

/// Takes the turn or lets the event happen that is next. False at the end of the run.
bool World::step() {
  Time next = kNever;
  unsigned chosen = 0;
  for (unsigned number = 0; number < processes_.size(); ++number) {
    if (!process(number).is_alive() || stopped_until_[number] == kNever) continue;
    const Time wakes = std::max(net_.wakes_at(number), stopped_until_[number]);
    if (wakes < next) next = wakes, chosen = number;
  }
  if (!events_.empty() && events_.begin()->first <= next) {
    net_.advance_to(events_.begin()->first);
    const auto event = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    event();
    return true;
  }
  if (next == kNever) return false;
  net_.advance_to(next);
  take_turn(chosen);
  return true;
}

void World::take_turn(unsigned number) {
  Process& process = this->process(number);
  net_.sleep(number, kNever);
  process.turn(members_);
  choose_members();
  check_agreement();
  check_verdict(process);
  const JobOptions& options = scenario_.options;
  if (net_.now() > last_event_ + options.patience + 3 * options.silence +
                       options.patience_after_failure + kWork + kGoodbye)
    throw Violation(fmt::format("process {} waits for ever in phase {}", process.rank(),
                                static_cast<int>(process.phase())));
  if (!process.is_alive()) return;
  const auto wait = std::max<Clock::duration>(process.member()->wait_time(), microseconds(10));
  const auto late =
      microseconds(random_.below(static_cast<std::uint32_t>(scenario_.delay.count())));
  net_.wake(number, net_.now() + std::min<Clock::duration>(wait, wait / 2 + late) + late);
}

/// Of two processes that claim a rank, one joins.
void World::choose_members() {
  if (scenario_.has_double && process(size()).has_joined()) members_[size() - 1] = &process(size());
}

std::string World::text() const {
  std::string text = scenario_.text() + '\n';
  for (const auto& process : processes_)
    text += fmt::format(
        "  process {}, from {} ms: {}\n", process->rank(),
        process->started_at() ? (*process->started_at() - begin_) / milliseconds(1) : -1,
        !process->has_ended()        ? "has not ended"
        : process->outcome().empty() ? "has done everything"
                                     : process->outcome());
  return text;
}

// Rules that must hold at every turn.

void World::check_agreement() {
  if (scenario_.has_equal_inputs()) return check_sharing();
  for (const auto& process : processes_)
    if (process->phase() > Phase::stating && !process->has_ended() &&
        process->plan().fate != Fate::mistakes)
      throw Violation(fmt::format("process {} runs with different inputs", process->rank()));
}

void World::check_sharing() {
  const std::string* first = nullptr;
  for (const Process* process : members_) {
    const auto& why = process->why_not_shared();
    if (!why) continue;
    if (why->empty() != can_share())
      throw Violation(fmt::format("process {} {} memory", process->rank(),
                                  why->empty() ? "shares" : "does not share"));
    if (first != nullptr && *why != *first)
      throw Violation("processes have different reasons not to share memory");
    first = &*why;
  }
}

bool World::can_share() const {
  unsigned reads = 0;
  for (unsigned p = 0; p < size(); ++p)
    for (unsigned q = 0; q < size(); ++q) {
      if (!scenario_.can_open(p, q)) return false;
      if (p != q && scenario_.can_read(p, q)) ++reads;
    }
  return reads == 0 || reads == size() * (size() - 1);
}

/// Checks the first verdict of each watched run.
void World::check_verdict(Process& seer) {
  if (!seer.is_alive() || seer.watch() <= judged_ || seer.phase() != Phase::running) return;
  const Verdict verdict = seer.member()->verdict();
  if (verdict != Verdict::quiescent && verdict != Verdict::stalled) return;
  judged_ = seer.watch();
  if (verdict == Verdict::stalled) {
    if (!scenario_.stalls) throw Violation("a run that moves counts as stalled");
    return;
  }
  for (const Process* p : members_) {
    if (!p->is_alive() || seer.has_lost(p->rank()) || p->watch() != judged_) continue;
    if (!p->is_at_rest())
      throw Violation(fmt::format("the run counts as over, but process {} is active", p->rank()));
    for (const Process* q : members_)
      if (q->is_alive() && q->watch() == judged_ && !seer.has_lost(q->rank()) &&
          !p->has_lost(q->rank()) && !q->has_lost(p->rank()) &&
          p->sent_to(q->rank()) != q->received_from(p->rank()))
        throw Violation("the run counts as over, but numbers are in flight");
  }
}

// Rules that must hold at the end.

void World::check_outcomes() {
  for (const auto& process : processes_) check_truth(*process);
  check_equality();
  check_promptness();
  check_calm();
}

/// Whether nothing is the matter with the process and with process 0, between which all messages
/// arrive in time.
bool World::is_reliable(const Process& process) const {
  return !process.is_troubled() && !processes_[0]->is_troubled();
}

/// How many things are the matter.
long World::count_of_causes() const {
  return std::ranges::count_if(scenario_.plans,
                               [](const Plan& p) { return p.fate != Fate::none; }) +
         (scenario_.has_equal_inputs() ? 0 : 1) + (launcher_died_ ? 1 : 0) +
         (scenario_.stalls ? 1 : 0) + (scenario_.has_double ? 1 : 0);
}

bool World::has_fate(Fate fate) const {
  return std::ranges::any_of(scenario_.plans, [&](const Plan& p) { return p.fate == fate; });
}

/// What a process says that was out of reach for long is true as far as it can know.
bool World::is_unreachable(const Process& process) {
  const Fate fate = process.plan().fate;
  return fate == Fate::is_cut_long || fate == Fate::stops_long;
}

bool World::is_cut_off(const Process& process) {
  return process.plan().fate == Fate::is_cut_long;
}

/// A process that was refused or has failed ends earlier than others.
bool World::may_blame(unsigned rank, const std::string& text, const Process& by) {
  if (rank >= size()) return false;
  const Process& named = *members_[rank];
  if (says(text, "does not go on without"))
    return named.is_troubled() || named.plan().fate == Fate::computes;
  if (says(text, "calls a different")) return has_fate(Fate::mistakes);
  const bool may_err = is_unreachable(by) || is_unreachable(hub());
  if (says(text, "has not answered") && (is_cut_off(by) || is_cut_off(hub()))) return true;
  if (may_err && says(text, "did not join")) return true;
  if (may_err && says(text, "died: connection closed") && named.has_ended()) return true;
  if (named.is_troubled()) {
    const Fate fate = named.plan().fate;
    if (says(text, "broken")) return fate == Fate::fails;
    if (fate == Fate::fails) return count_of_causes() > 1;
    return true;
  }
  const bool ended_before =
      named.ended_at() && by.failed_at() && *named.ended_at() <= *by.failed_at();
  if (says(text, "has ended before") || says(text, "did not join"))
    return ended_before && !named.outcome().empty();
  if (says(text, "cannot join")) return ended_before || !named.has_started();
  return false;
}

/// Whether the text names the process with another input, and how it differs.
bool World::is_about_inputs(const std::string& text) const {
  constexpr std::array kSays{"-", "a.npy differs between", "a.npy is an input of",
                             "a.npy: no such file"};
  for (unsigned rank = 0; rank < size(); ++rank)
    if (const Input input = scenario_.plans[rank].input; input != Input::common)
      return says(text, kSays[static_cast<std::size_t>(input)]) &&
             says(text, fmt::format("process {} (", rank).c_str());
  return false;
}

void World::check_truth(const Process& process) {
  const std::string& text = process.outcome();
  if (text.empty() || text == "leaves") return;
  bool is_true = &process != members_[process.rank()];  // another one has its rank
  if (text == "the launcher has ended")
    is_true = launcher_died_ && *launcher_died_ <= *process.ended_at();
  else if (text == "stalled")
    is_true = scenario_.stalls;
  else if (says(text, "a.npy"))
    is_true = is_about_inputs(text);
  else if (says(text, "refuses process"))
    is_true |= process.plan().fate == Fate::wrong_size || scenario_.has_double;
  else if (says(text, "does not hold the same key"))
    is_true = has_fate(Fate::wrong_key);
  else if (says(text, "cannot join"))
    is_true |= process.is_troubled() || may_blame(0, text, process);
  else
    is_true = !ranks_named(text).empty() &&
              std::ranges::all_of(ranks_named(text),
                                  [&](unsigned rank) { return may_blame(rank, text, process); });
  if (!is_true)
    throw Violation(
        fmt::format("process {} ends with an untrue message: {}", process.rank(), text));
}

void World::check_equality() {
  const Process* first = nullptr;
  for (const Process* p : members_) {
    if (!is_reliable(*p) || !p->has_joined()) continue;
    if (!p->has_ended()) throw Violation(fmt::format("process {} has not ended", p->rank()));
    // What happens after a process has left does not concern it. Nor does a launcher that ends
    // while the last results are on their way.
    if (p->outcome().empty() && (p->rank() != 0 || launcher_died_)) continue;
    if (first == nullptr) first = p;
    if (p->outcome() != first->outcome() && !(launcher_died_ && count_of_causes() > 1))
      throw Violation(fmt::format("process {} ends with '{}', process {} with '{}'", first->rank(),
                                  first->outcome(), p->rank(), p->outcome()));
  }
  for (const Process* p : members_)
    for (std::size_t run = 0; run < std::min(p->ends().size(), hub().ends().size()); ++run)
      check_end_of_run(p->rank(), p->ends()[run], hub().ends()[run]);
}

void World::check_end_of_run(unsigned rank, const EndOfRun& end, const EndOfRun& at_hub) {
  if (end.verdict == Verdict::failed || at_hub.verdict == Verdict::failed) return;
  if (end.verdict != at_hub.verdict)
    throw Violation(fmt::format("process {} has another verdict than process 0", rank));
  if (end.losses != at_hub.losses)
    throw Violation(fmt::format("process {} knows of the losses '{}', process 0 of '{}'", rank,
                                end.losses, at_hub.losses));
}

/// When the process must have noticed at the latest that the job has failed.
std::optional<Clock::time_point> World::must_know_by(const Process& p) {
  const JobOptions& options = scenario_.options;
  Time by = kNever;
  bool all_joined = true;
  for (const Process* q : members_) all_joined &= q->has_joined();
  const Time started = std::max(*p.started_at(), hub().started_at().value_or(begin_));
  if (!all_joined) by = started + options.patience + options.silence + kSlack;
  if (launcher_died_)
    by = std::min(by, std::max(*launcher_died_, *p.started_at()) + milliseconds(500) + kSlack);
  for (const Process* q : members_) {
    const bool is_told =
        scenario_.launcher_tells && q->plan().fate == Fate::dies && q->troubled_at();
    if (is_told && !q->has_joined() && !p.has_joined() && (q->rank() == 0 || p.rank() == 0) &&
        *p.started_at() < *q->troubled_at())
      by = std::min(by, *q->troubled_at() + milliseconds(500) + kSlack);
    if (!q->troubled_at() || !q->has_joined() || !p.has_joined()) continue;
    const bool goes_on = scenario_.on_loss == OnLoss::go_on && q->rank() != 0;
    Time since = std::max({*q->troubled_at(), *q->joined_at(), *p.joined_at()});
    if (q->has_ended() || goes_on) continue;
    bool closes = q->plan().fate == Fate::dies;
    if (hub().is_troubled() && q != &hub()) {
      since = std::max(since, *hub().troubled_at());
      closes &= hub().plan().fate == Fate::dies;
    }
    by = std::min(by, since + (closes ? milliseconds(0) : options.silence) + kSlack);
  }
  if (by == kNever) return {};
  return awake_at_ ? std::max(by, *awake_at_ + options.silence + kSlack) : by;
}

/// A program that computes when the job has failed gets some time to leave it.
void World::check_abandonment(const Process& p) {
  const Time since = std::max(*p.failed_at(), awake_at_.value_or(begin_));
  if (*p.ended_at() > since + scenario_.options.patience_after_failure + kSlack)
    throw Violation(fmt::format("process {} stays in the failed job", p.rank()));
}

void World::check_promptness() {
  for (const auto& p : processes_) {
    const bool is_abandoned = p->plan().fate == Fate::computes;
    if (is_abandoned && p->failed_at()) check_abandonment(*p);
    if (p->is_troubled() || !p->has_started()) continue;
    if (!p->has_ended()) throw Violation(fmt::format("process {} has not ended", p->rank()));
    const auto by = must_know_by(*p);
    if (by && *p->ended_at() > *by && (!p->failed_at() || *p->failed_at() > *by))
      throw Violation(fmt::format("process {} notices {} ms too late that the job has failed: {}",
                                  p->rank(), (*p->ended_at() - *by) / milliseconds(1),
                                  p->outcome()));
  }
}

void World::check_calm() {
  const bool is_calm =
      !launcher_died_ && !scenario_.stalls && scenario_.has_equal_inputs() &&
      std::ranges::none_of(members_, [](const Process* p) { return p->is_troubled(); });
  if (!is_calm) return;
  for (const Process* p : members_)
    if (!p->outcome().empty())
      throw Violation(fmt::format("nothing was the matter, but process {} ends with: {}", p->rank(),
                                  p->outcome()));
  if (scenario_.strangers == 0 && hub().refused() != 0)
    throw Violation("process 0 has refused connections of its own processes");
}

}  // namespace toroid::job_simulation
