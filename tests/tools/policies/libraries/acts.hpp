// What a misbehaving function of a policy does.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace toroid::testing {

inline void act(std::string_view what) {
  if (what == "throws a number") throw 42;
  if (what == "throws an exception") throw std::runtime_error("not today");
  if (what == "exit") std::exit(0);
  if (what == "quick_exit") std::quick_exit(0);
  if (what == "_Exit") std::_Exit(0);
  if (what == "_exit 3") ::_exit(3);
  if (what == "_exit 1") ::_exit(1);
  if (what == "abort") std::abort();
  if (what == "raise SIGSEGV") std::raise(SIGSEGV);
  if (what == "raise SIGTERM") std::raise(SIGTERM);
  if (what == "raise SIGKILL") std::raise(SIGKILL);
  if (what == "never returns")
    for (volatile bool goes_on = true; goes_on;) continue;
}

inline constexpr std::string_view kActs[] = {
    "throws a number", "throws an exception", "exit",          "quick_exit",    "_Exit", "_exit 3",
    "abort",           "raise SIGSEGV",       "raise SIGTERM", "never returns",
};

/// The functions that misbehave, by the number of each.
inline constexpr std::string_view kFunctions[] = {
    "its constructor", "name()",
    "source()",        "known_result()",
    "settings()",      "order()",
    "stages()",        "keeps_to_shortest_ways()",
    "changes_order()", "combines()",
    "has_releases()",  "relay()",
    "release()",       "the function of order()",
};

/// The parameter of the library misbehaves.so.
inline constexpr unsigned parameter_of(unsigned function, unsigned act) {
  return 100 * function + act;
}

}  // namespace toroid::testing
