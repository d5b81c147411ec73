// The program that `toroid launch` starts: toroid itself with a command, or another program.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <string>
#include <vector>

#include "tools/options/unparsed_arguments.hpp"
#include "tools/run/launch.hpp"

namespace toroid {

/// The program and its arguments. A toroid command, with or without "toroid" before it, runs this
/// same executable; other words, and all words after --, are a program on the path. On other hosts
/// it is not checked whether the program exists. Empty if the command asked for help, which has
/// then been printed. Throws BadInput if there is no such command or program, if several processes
/// cannot run the command, or if it refuses its arguments.
std::vector<std::string> launched_program(const CLI::App& app, const LaunchedCommand& launched,
                                          const LaunchOptions& options);

}  // namespace toroid
