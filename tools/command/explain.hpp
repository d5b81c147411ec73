// Messages for command lines that cannot be used: one line that names what was typed and what
// exists.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <string>
#include <vector>

namespace CLI {
class ParseError;
}

namespace toroid {

/// The message, after a parse, for the first word that no command and no option took; empty where
/// nothing was left.
std::string left_over(const CLI::App& app);

/// Why the command line could not be parsed. Words that were left over are named before options
/// that are missing, since a mistyped option is both.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

/// Throws BadInput where an option of the command stands as the value of another: `--torus --mesh`.
void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& arguments);

/// "unknown verb 'ftf'; did you mean 'fft'? known: ..."
std::string unknown_command(const CLI::App& app, const std::string& typed);

}  // namespace toroid
