// What a shell on another host is to do.
#pragma once

#include <string>
#include <vector>

#include "tools/launch/child.hpp"

namespace toroid {

/// Runs the command with the key, which comes first on standard input, until it ends or that input
/// does: then the launcher has gone, or wants an end.
std::string remote_script(const std::string& directory, const Variables& variables,
                          const std::vector<std::string>& command);

}  // namespace toroid
