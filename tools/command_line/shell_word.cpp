#include "tools/command_line/shell_word.hpp"

#include <string>
#include <string_view>

namespace toroid {

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace toroid
