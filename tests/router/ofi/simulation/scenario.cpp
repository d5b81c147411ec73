#include "tests/router/ofi/simulation/scenario.hpp"

#include <cstddef>

#include "hal/random.hpp"

namespace toroid::simulation {
namespace {

constexpr std::size_t kFrameBytes = 1024;

/// Returns 0 in half of all cases, otherwise 1 to `most`.
std::uint32_t perhaps(Random& random, std::uint32_t most) {
  return random.coin() ? 1 + random.below(most) : 0;
}

void draw_losses(Scenario& scenario, Random& random) {
  scenario.has_faulty_transport = random.coin();
  if (scenario.has_faulty_transport) {
    const auto some = static_cast<LinkFaultSet>(1 + random.below(kNoticedFaults));
    const bool silent = random.below(4) == 0;
    scenario.errors = {.rates = {{0.001 * random.below(300), ""}},
                       .faults = static_cast<LinkFaultSet>(
                           some | (silent ? set_of(LinkFault::silent) : LinkFaultSet{0})),
                       .burst = 1 + random.below(3)};
    return;
  }
  scenario.network.drop = perhaps(random, 150);
  scenario.network.corrupt = perhaps(random, 150);
  scenario.network.duplicate = perhaps(random, 200);
}

void draw_process_faults(ProcessFaults& faults, Random& random) {
  if (random.below(3) != 0) return;
  faults.pause = perhaps(random, 2000);
  faults.partition = perhaps(random, 2000);
  faults.death = random.below(4) == 0 ? 1000 : 0;
}

constexpr Lengths kBrief{.steps = 60,
                         .crossing = 100,
                         .silence = 60,
                         .idle_step = std::chrono::milliseconds(4),
                         .report_every = 4};

}  // namespace

Scenario Scenario::of(std::uint64_t seed) {
  Random random(seed, 1);
  Scenario scenario{.processes = 2 + random.below(3)};
  const unsigned window = 1 + random.below(6);
  const bool checked = random.below(4) != 0;
  scenario.limits = {.frame_bytes = kFrameBytes,
                     .window = window,
                     .send_buffers = checked ? window + 1 + random.below(2) : 1 + random.below(4),
                     .checked = checked};
  scenario.network.reorder = perhaps(random, 300);
  scenario.network.delay = perhaps(random, 20);
  scenario.network.busy = perhaps(random, 700);
  if (checked) draw_losses(scenario, random);
  if (checked) draw_process_faults(scenario.process, random);
  scenario.numbers = 5 + random.below(random.below(4) == 0 ? 2000 : 300);
  scenario.report_delay = random.coin() ? 300 : 5000;
  scenario.ring = 4 + random.below(40);
  scenario.slow_release = 1 + random.below(random.below(4) == 0 ? 200 : 4);
  scenario.slowness = random.below(6) == 0 ? 300 : 1;
  scenario.has_slow_process = scenario.slowness == 1 && random.below(6) == 0;
  return scenario;
}

Scenario Scenario::brief(std::uint64_t seed) {
  Scenario scenario = of(seed);
  Random random(seed, 4);
  scenario.processes = 2 + (random.below(4) == 0 ? 1 : 0);
  scenario.numbers = 1 + random.below(24);
  scenario.ring = 1 + random.below(12);
  scenario.slow_release = 1 + random.below(4);
  scenario.report_delay = random.coin() ? 300 : 2000;
  scenario.slowness = 1;
  scenario.has_slow_process = false;
  scenario.network.drop *= 2;
  scenario.network.corrupt *= 2;
  scenario.network.delay *= 10;
  for (std::uint32_t* chance :
       {&scenario.process.pause, &scenario.process.partition, &scenario.process.death})
    *chance *= 20;
  scenario.lengths = kBrief;
  return scenario;
}

}  // namespace toroid::simulation
