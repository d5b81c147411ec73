#include "tools/text/shell_words.hpp"

namespace toroid {
namespace {

/// Whether a shell takes the word unquoted.
bool needs_no_quotes(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& word : arguments)
    line += (line.empty() ? "" : " ") + (needs_no_quotes(word) ? word : shell_word(word));
  return line;
}

}  // namespace toroid
