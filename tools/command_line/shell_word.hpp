// Texts as words for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace toroid {

/// The text in single quotes: one word, whatever is in it.
std::string shell_word(std::string_view text);

}  // namespace toroid
