// Where a result comes from: the command line and the date, which say nothing of what was computed.
#pragma once

#include <string>
#include <vector>

#include "tools/results/json.hpp"

namespace toroid {

/// The process's arguments as typed, the program first. Empty where there is no /proc.
std::vector<std::string> typed_arguments();

/// The arguments as one line for a POSIX shell: words that need no quotes have none.
std::string command_line(const std::vector<std::string>& arguments);

struct Provenance {
  std::string command;  ///< of this process, shell-quoted
  std::string date;     ///< UTC, ISO 8601: 2026-11-22T10:30:05Z
};
/// Always the same. The first call, which every output makes before the run, sets the date.
const Provenance& provenance();

/// The result with `command` and `date` behind its verb, version and git_hash. They are added where
/// a result is written, after its hash was taken.
Json with_provenance(const Json& result);

}  // namespace toroid
