// The command line of toroid: all commands with their options and arguments.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/options/unparsed_arguments.hpp"

namespace toroid {

/// Parses the words after the program's name and runs the command that they name. Owned by main;
/// one object parses one command line, once.
class CommandLine {
 public:
  /// Adds the command `only`, or all commands if it is empty.
  explicit CommandLine(std::string_view only = {});
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Runs the command that the words name. Returns the exit code: 0 for success, 1 if a check
  /// failed. Throws BadInput, which means exit code 2, and RunFailed, which means 1.
  int run(Words arguments);

  /// Returns whether there is a command to run. If the words ask for help or the version, prints
  /// it and returns false. Throws BadInput if the words cannot be parsed.
  bool parse(Words arguments);

  /// Runs the command that the words named, as run() does. REQUIRES: parse() has returned true.
  int run_parsed();

  const CLI::App& app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
  LaunchedCommand launched_;
  std::vector<std::pair<std::string, std::function<int()>>> commands_;
};

/// Runs the command that the words name, as CommandLine::run() does, but creates the options of
/// the other commands only if needed: to explain errors, and for help and documents.
int run_command_line(const Words& arguments);

}  // namespace toroid
