// Messages for wrong command lines: one line that shows what was typed and what is possible.
#pragma once

#include "tools/options/cli_fwd.hpp"

#include <string>
#include <vector>

namespace CLI {
class ParseError;
}

namespace toroid {

/// The message, after a parse, for the first word that no command or option consumed; empty if
/// there is none.
std::string left_over(const CLI::App& app);

/// Why the command line could not be parsed. Words that were left over are reported before missing
/// options, because a mistyped option is left over and may then be missing too.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

/// Throws BadInput if an option follows another where a value is expected: `--torus --mesh`.
void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& arguments);

/// "unknown verb 'ftf'; did you mean 'fft'? known: ..."
std::string unknown_command(const CLI::App& app, const std::string& typed);

}  // namespace toroid
