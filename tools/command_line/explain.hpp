// Command lines that cannot be used: one line each that names what was typed and what exists.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <string>
#include <vector>

namespace CLI {
class ParseError;
}

namespace toroid {

/// After a parse: of what no verb and no option took, the first. Empty: nothing was left.
std::string left_over(const CLI::App& app);

/// Why the command line could not be parsed: what was left over goes before what is missing, which
/// a mistyped option leaves behind.
std::string explain(const CLI::App& app, const CLI::ParseError& error);

/// Throws BadInput where an option of the verb stands as another one's value: `--torus --mesh`.
void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& arguments);

/// "unknown verb 'ftf'; did you mean 'fft'? known: ..."
std::string unknown_verb(const CLI::App& app, const std::string& typed);

}  // namespace toroid
