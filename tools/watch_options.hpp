// --record and --trace, as typed.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace toroid {

struct WatchOptions {
  std::string record;                  ///< empty: none
  std::string trace;                   ///< empty: none
  std::uint64_t trace_megabytes = 64;  ///< of the trace, at most
};

void add_watch_options(CLI::App& verb, WatchOptions& options);

}  // namespace toroid
