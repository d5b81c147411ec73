// What --help prints.
#pragma once

#include "tools/command_line/cli_fwd.hpp"

#include <string>

namespace toroid {

/// Of a verb, or of the whole command: usage, options by groups, examples, in lines that fit the
/// page.
std::string help_text(const CLI::App& app);

}  // namespace toroid
