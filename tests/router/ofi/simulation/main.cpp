// Simulates the protocol between processes:
// ofi_simulation [--seed S] [--runs N] [--steps N] [--seconds S] [--brief].
//
// Runs N simulations (default: 1) with seeds from S (default: 1) on; a seed that fails always
// fails. --steps: number of steps with faults. --seconds: time after which no new run begins.
// --brief: runs of some hundred steps instead of thousands; see Scenario. Exit code 1 means that a
// run broke a rule of the protocol. Then the last line of the output is the command that repeats
// this run.
#include <fmt/core.h>

#include <cstdint>
#include <exception>

#include "tests/router/ofi/simulation/scenario.hpp"
#include "tests/router/ofi/simulation/world.hpp"
#include "tests/router/seeds.hpp"

namespace toroid::simulation {
namespace {

struct Length {
  std::uint64_t steps = 0;  ///< if 0, as defined by the scenario
  bool brief = false;
};

bool holds(std::uint64_t seed, const Length& length, Tally& tally) {
  Scenario scenario = length.brief ? Scenario::brief(seed) : Scenario::of(seed);
  if (length.steps > 0) scenario.lengths.steps = length.steps;
  try {
    World(scenario, seed).run(tally);
    return true;
  } catch (const std::exception& violation) {
    fmt::print("seed {}: {}\nofi_simulation --seed {} --steps {}{}\n", seed, violation.what(), seed,
               scenario.lengths.steps, length.brief ? " --brief" : "");
    return false;
  }
}

int simulate(int argc, char** argv) {
  Length length;
  Seeds seeds(argc, argv,
              "ofi_simulation [--seed S] [--runs N] [--steps N] [--seconds S] [--brief]",
              {{"--steps", &length.steps}}, {{"--brief", &length.brief}});
  Tally tally;
  if (!seeds.all_hold([&](std::uint64_t seed) { return holds(seed, length, tally); })) return 1;
  fmt::print(
      "{} runs, {} steps, {:.2f} million steps/s; {} numbers in {} frames, {} of them repeats, {} "
      "refused\n",
      tally.runs, tally.steps, static_cast<double>(tally.steps) / seeds.seconds() * 1e-6,
      tally.numbers, tally.frames, tally.repeats, tally.refused);
  return 0;
}

}  // namespace
}  // namespace toroid::simulation

int main(int argc, char** argv) {
  return toroid::simulation::simulate(argc, argv);
}
