// Simulates the protocol of a job: job_simulation [--seed S] [--runs N] [--seconds S].
//
// Runs N simulations (default: 1) with seeds from S (default: 1) on; a seed that fails always
// fails. --seconds: time after which no new run begins. Exit code 1 means that a run broke a rule
// of the protocol. Then the last line of the output is the command that repeats this run.
#include <fmt/core.h>

#include <cstdint>
#include <exception>

#include "tests/router/job/simulation/scenario.hpp"
#include "tests/router/job/simulation/world.hpp"
#include "tests/router/seeds.hpp"

namespace toroid::job_simulation {
namespace {

bool holds(std::uint64_t seed, Tally& tally) {
  World world(Scenario::of(seed), seed);
  try {
    world.run(tally);
    return true;
  } catch (const std::exception& violation) {
    fmt::print("seed {}: {}\n{}job_simulation --seed {}\n", seed, violation.what(), world.text(),
               seed);
    return false;
  }
}

int simulate(simulation::Seeds seeds) {
  Tally tally;
  if (!seeds.all_hold([&](std::uint64_t seed) { return holds(seed, tally); })) return 1;
  fmt::print("{} runs, {} of them with a failure, {} turns, {:.2f} million turns/s\n", tally.runs,
             tally.failed, tally.turns, static_cast<double>(tally.turns) / seeds.seconds() * 1e-6);
  return 0;
}

}  // namespace
}  // namespace toroid::job_simulation

int main(int argc, char** argv) {
  return toroid::job_simulation::simulate(
      {argc, argv, "job_simulation [--seed S] [--runs N] [--seconds S]"});
}
