// Parses TOML texts of users.
#pragma once

#include <string_view>

#include "tools/files/safe_toml.hpp"

namespace toroid {

/// Throws BadInput "ORIGIN:LINE: ..." if the text is not TOML, or if a key has more than 16 parts,
/// as in a.b.c. toml++ makes a table for each part and destroys tables by recursion, so that
/// 100,000 parts overflow the stack. It limits the depth of arrays and inline tables itself, but
/// not of keys.
toml::table parse_toml(std::string_view text, std::string_view origin);

}  // namespace toroid
