// The program that `toroid launch` starts: toroid itself with a command, or another one.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <string>
#include <vector>

#include "tools/options/arguments.hpp"
#include "tools/run/launch.hpp"

namespace toroid {

/// The program and its arguments. A command of toroid, with or without "toroid" before it, runs in
/// this very program; other words, and all that stand behind --, are a program on the path, which
/// is not searched on other hosts. Empty where the command was asked for its help, which has been
/// printed. Throws BadInput where there is no such command or program, where several processes
/// cannot carry out the command, or where it refuses its arguments.
std::vector<std::string> launched_program(const CLI::App& app, const LaunchedCommand& launched,
                                          const LaunchOptions& options);

}  // namespace toroid
