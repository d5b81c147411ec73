// The options --record, --trace and --report as they were typed.
#pragma once

#include <cstdint>
#include <string>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

struct ObservationOptions {
  std::string record;                      ///< empty: none
  std::string trace;                       ///< empty: none
  std::string report;                      ///< empty: none
  std::uint64_t trace_bytes = 64'000'000;  ///< of the trace, at most
};

void add_observation_options(CLI::App& command, ObservationOptions& options);

}  // namespace toroid
