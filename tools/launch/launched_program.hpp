// What `toroid launch` starts: a verb of this command, or another program.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <string>
#include <vector>

#include "tools/command_line/arguments.hpp"
#include "tools/launch/launch.hpp"

namespace toroid {

/// The program and its arguments. A verb of `app`, with or without "toroid" before it, is this very
/// program's; else it is a program on the path, as whatever stands behind -- is. The path of other
/// hosts is not searched. Empty: the verb was asked for its help, which has been printed.
/// Throws BadInput where there is no such verb or program, or the verb would refuse its arguments.
std::vector<std::string> launched_program(const CLI::App& app, const LaunchedCommand& launched,
                                          const LaunchOptions& options);

}  // namespace toroid
