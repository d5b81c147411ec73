// Texts as words for a POSIX shell.
#pragma once

#include <string>

namespace toroid {

/// The text in single quotes: one word, whatever is in it.
std::string shell_word(const std::string& text);

}  // namespace toroid
