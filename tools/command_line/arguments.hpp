// The words of a command line, before they are parsed.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <string>
#include <vector>

namespace toroid {

using Words = std::vector<std::string>;

/// "-n", "--torus=2"; not "-", "--", "-1" or "word".
bool looks_like_option(const std::string& word);

/// Whether the word is an option of the verb whose value is the next word.
bool takes_next(const CLI::App& verb, const std::string& word);

/// What `toroid launch` starts in each process.
struct LaunchedCommand {
  Words words;
  bool is_program = false;  ///< after --: no verb of toroid, whatever its name
};

/// Takes it off a command line of launch, whose own options end before --, or at the first word
/// that is no option's value. Leaves other command lines as they are.
LaunchedCommand take_launched(const CLI::App& app, Words& arguments);

}  // namespace toroid
