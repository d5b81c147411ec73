// The command as a whole: its verbs, with all that they take.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/command_line/arguments.hpp"

namespace toroid {

class Command {
 public:
  Command();
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Does what the words after the command's name say. Returns the exit code: 0 done, 1 a check
  /// failed. Throws BadInput (2) and RunFailed (1).
  int run(Words arguments);

  /// Throws BadInput where the words are no command line. Prints help or version where they ask for
  /// that and returns false; true: there is a verb to run.
  bool parse(Words arguments);

  const CLI::App& app() const { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
  LaunchedCommand launched_;
  std::vector<std::pair<std::string, std::function<int()>>> verbs_;
};

}  // namespace toroid
