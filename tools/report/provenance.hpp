// The origin of a result: its command line and date, on which the result itself does not depend.
#pragma once

#include <string>
#include <vector>

#include "tools/text/json.hpp"

namespace toroid {

/// The arguments of this process as typed, the program first; empty where there is no /proc.
std::vector<std::string> typed_arguments();

struct Provenance {
  std::string command;  ///< of this process, shell-quoted
  std::string date;     ///< UTC, ISO 8601: 2026-11-22T10:30:05Z
};
/// The provenance of this process. The first call, which every output makes before the run, sets
/// the date.
const Provenance& provenance();

/// The result with `command` and `date` behind its keys verb, version and git_hash. They are added
/// when a result is written, after its hash was taken.
Json with_provenance(const Json& result);

}  // namespace toroid
