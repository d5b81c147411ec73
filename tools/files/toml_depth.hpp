// Limits the depth of a TOML text before toml++ parses it.
#pragma once

#include <string_view>

namespace toroid {

/// Throws BadInput "ORIGIN:LINE: ..." if a key has more than 16 parts, as in a.b.c. toml++ makes a
/// table for each part and destroys tables by recursion, so that 100,000 parts overflow the stack.
/// It limits the depth of arrays and inline tables itself, but not of keys.
void refuse_deep_keys(std::string_view toml, std::string_view origin);

}  // namespace toroid
