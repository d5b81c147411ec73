// Words as a POSIX shell takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// The text in single quotes: one word for a shell, whatever is in it.
std::string shell_word(std::string_view text);
/// The arguments as one line for a shell, quoted where they need it.
std::string command_line(const std::vector<std::string>& arguments);

}  // namespace toroid
