// The words of a command line before they are parsed.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <string>
#include <vector>

namespace toroid {

using Words = std::vector<std::string>;

/// True for "-n" and "--torus=2"; false for "-", "--", "-1" and "word".
bool looks_like_option(const std::string& word);

/// Whether the word is an option of the command whose value is the next word.
bool takes_next(const CLI::App& command, const std::string& word);

/// The command that `toroid launch` starts in each process.
struct LaunchedCommand {
  Words words;
  bool is_program = false;  ///< it follows --, so it is not a toroid command, whatever its name
};

/// Removes the launched command from a command line of launch and returns it. The options of launch
/// end before -- or before the first word that is neither an option nor an option's value. Other
/// command lines stay unchanged.
LaunchedCommand take_launched(const CLI::App& app, Words& arguments);

}  // namespace toroid
