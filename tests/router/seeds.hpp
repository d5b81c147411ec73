// The command line and the loop of programs that simulate runs from seeds.
#pragma once

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>

namespace toroid::simulation {

/// Options with values: --seed S (of the first run, default 1), --runs N (default 1), --seconds S
/// (time after which no new run begins), and those that the program adds.
class Seeds {
 public:
  using Numbers = std::map<std::string_view, std::uint64_t*>;
  using Flags = std::map<std::string_view, bool*>;

  /// Reads the command line. After a mistake prints `usage` and ends with exit code 2.
  Seeds(int argc, char** argv, const char* usage, const Numbers& more = {},
        const Flags& flags = {}) {
    Numbers numbers{{"--seed", &seed_}, {"--runs", &runs_}, {"--seconds", &seconds_}};
    numbers.insert(more.begin(), more.end());
    for (int i = 1; i < argc; ++i) {
      const auto flag = flags.find(argv[i]);
      const auto value = numbers.find(argv[i]);
      if (flag != flags.end())
        *flag->second = true;
      else if (value == numbers.end() || i + 1 == argc || !reads(argv[++i], *value->second))
        fmt::print(stderr, "usage: {}\n", usage), std::exit(2);
    }
  }

  /// Calls holds(seed) for one seed after the other. Returns whether all hold.
  bool all_hold(auto holds) {
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double> limit(static_cast<double>(seconds_));
    for (std::uint64_t run = 0; run < runs_ && taken_ < limit; ++run) {
      if (!holds(seed_ + run)) return false;
      taken_ = std::chrono::steady_clock::now() - begin;
    }
    return true;
  }
  /// Seconds that all_hold() has taken.
  double seconds() const { return taken_.count(); }

 private:
  static bool reads(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }

  std::uint64_t seed_ = 1;
  std::uint64_t runs_ = 1;
  std::uint64_t seconds_ = 1'000'000'000;
  std::chrono::duration<double> taken_{};
};

}  // namespace toroid::simulation
