// Simulates the protocol between processes:
// ofi_simulation [--seed S] [--runs N] [--steps N] [--seconds S] [--brief].
//
// Runs N simulations (default: 1) with seeds from S (default: 1) on; a seed that fails always
// fails. --steps: number of steps with faults. --seconds: time after which no new run begins.
// --brief: runs of some hundred steps instead of thousands; see Scenario. Exit code 1 means that a
// run broke a rule of the protocol. Then the last line of the output is the command that repeats
// this run.
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <string_view>
#include <system_error>

#include "tests/router/ofi/simulation/scenario.hpp"
#include "tests/router/ofi/simulation/world.hpp"

namespace toroid::simulation {
namespace {

struct Arguments {
  std::uint64_t seed = 1;  ///< seed of the first run
  std::uint64_t runs = 1;
  std::uint64_t steps = 0;                ///< if 0, as defined by the scenario
  std::uint64_t seconds = 1'000'000'000;  ///< time after which no new run begins
  bool brief = false;
};

[[noreturn]] void misused() {
  fmt::print(stderr,
             "usage: ofi_simulation [--seed S] [--runs N] [--steps N] [--seconds S] [--brief]\n");
  std::exit(2);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) misused();
  return value;
}

Arguments parsed(int argc, char** argv) {
  Arguments arguments;
  const std::map<std::string_view, std::uint64_t*> numbers{{"--seed", &arguments.seed},
                                                           {"--runs", &arguments.runs},
                                                           {"--steps", &arguments.steps},
                                                           {"--seconds", &arguments.seconds}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto found = numbers.find(name);
    if (name == "--brief")
      arguments.brief = true;
    else if (found != numbers.end() && i + 1 < argc)
      *found->second = number(argv[++i]);
    else
      misused();
  }
  return arguments;
}

bool holds(std::uint64_t seed, const Arguments& arguments, Tally& tally) {
  Scenario scenario = arguments.brief ? Scenario::brief(seed) : Scenario::of(seed);
  if (arguments.steps > 0) scenario.lengths.steps = arguments.steps;
  try {
    World(scenario, seed).run(tally);
    return true;
  } catch (const std::exception& violation) {
    fmt::print("seed {}: {}\nofi_simulation --seed {} --steps {}{}\n", seed, violation.what(), seed,
               scenario.lengths.steps, arguments.brief ? " --brief" : "");
    return false;
  }
}

int simulate(const Arguments& arguments) {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  Tally tally;
  for (std::uint64_t run = 0;
       run < arguments.runs && seconds() < static_cast<double>(arguments.seconds); ++run)
    if (!holds(arguments.seed + run, arguments, tally)) return 1;
  fmt::print(
      "{} runs, {} steps, {:.2f} million steps/s; {} numbers in {} frames, {} of them repeats, {} "
      "refused\n",
      tally.runs, tally.steps, static_cast<double>(tally.steps) / seconds() * 1e-6, tally.numbers,
      tally.frames, tally.repeats, tally.refused);
  return 0;
}

}  // namespace
}  // namespace toroid::simulation

int main(int argc, char** argv) {
  return toroid::simulation::simulate(toroid::simulation::parsed(argc, argv));
}
