// Simulates the protocol between processes: ofi_simulation --seeds A:B [--steps N] [--seconds S].
//
// Every seed is a run of its own, and a seed that fails fails again. Exit code 1: a run broke a
// rule of the protocol; the last line is the command that repeats it.
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include "tests/router/ofi/simulation/scenario.hpp"
#include "tests/router/ofi/simulation/world.hpp"

namespace toroid::simulation {
namespace {

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::uint64_t steps = 2000;
  std::uint64_t seconds = 1'000'000'000;  ///< after which no further run begins
};

[[noreturn]] void misused() {
  fmt::print(stderr, "usage: ofi_simulation --seeds A:B [--steps N] [--seconds S]\n");
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
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) misused();
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    const std::size_t colon = value.find(':');
    if (name == "--seeds" && colon != value.npos) {
      arguments.first = number(value.substr(0, colon));
      arguments.last = number(value.substr(colon + 1));
    } else if (name == "--steps") {
      arguments.steps = number(value);
    } else if (name == "--seconds") {
      arguments.seconds = number(value);
    } else {
      misused();
    }
  }
  return arguments;
}

bool holds(std::uint64_t seed, std::uint64_t steps, Tally& tally) {
  try {
    World(Scenario::of(seed), seed).run(steps, tally);
    return true;
  } catch (const std::exception& violation) {
    fmt::print("seed {}: {}\nofi_simulation --seeds {}:{} --steps {}\n", seed, violation.what(),
               seed, seed, steps);
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
  for (std::uint64_t seed = arguments.first;
       seed <= arguments.last && seconds() < static_cast<double>(arguments.seconds); ++seed)
    if (!holds(seed, arguments.steps, tally)) return 1;
  fmt::print(
      "{} runs, {} steps, {:.2f} million a second; {} numbers in {} frames, {} of them sent "
      "again, {} refused\n",
      tally.runs, tally.steps, static_cast<double>(tally.steps) / seconds() * 1e-6, tally.numbers,
      tally.frames, tally.repeats, tally.refused);
  return 0;
}

}  // namespace
}  // namespace toroid::simulation

int main(int argc, char** argv) {
  return toroid::simulation::simulate(toroid::simulation::parsed(argc, argv));
}
