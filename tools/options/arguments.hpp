// The words of a command line before they are parsed.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <string>
#include <vector>

namespace toroid {

using Words = std::vector<std::string>;

/// True of "-n" and "--torus=2"; false of "-", "--", "-1" and "word".
bool looks_like_option(const std::string& word);

/// Whether the word is an option of the command whose value is the next word.
bool takes_next(const CLI::App& command, const std::string& word);

/// What `toroid launch` starts in each process.
struct LaunchedCommand {
  Words words;
  bool is_program = false;  ///< stood behind --: no command of toroid, whatever its name
};

/// Takes the launched command off a command line of launch, whose own options end before -- or
/// before the first word that is no option's value. Leaves other command lines as they are.
LaunchedCommand take_launched(const CLI::App& app, Words& arguments);

}  // namespace toroid
