// Texts in parts: between separators, in lines of limited length, as words of a POSIX shell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// The parts between the separators, empty ones too: one more than there are separators. They lie
/// in the text.
inline std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}
/// The same as texts of their own.
inline std::vector<std::string> split(std::string_view text, char separator) {
  const std::vector<std::string_view> parts = parts_of(text, {&separator, 1});
  return {parts.begin(), parts.end()};
}

/// The columns of a page, into which all printed text fits.
inline constexpr std::size_t kPageColumns = 80;

/// The words of a text in lines of at most `columns` letters, one blank between words. A longer
/// word stands whole on a line of its own.
std::vector<std::string> word_wrapped(std::string_view text, std::size_t columns);

/// A text in lines of at most `width` letters, each with its newline; all but the first begin with
/// `indent` blanks. Blanks within a line stay as they are, and a word longer than a line is broken.
std::string with_hanging_indent(std::string_view text, std::size_t width, std::size_t indent);

/// An entry of a list: `heading` in a first column `indent` from the left, `text` from column
/// `begin` on, below where the heading leaves no room. Each line ends with a newline.
std::string list_entry(std::string_view heading, std::string_view text, std::size_t indent,
                       std::size_t begin);

/// The text in single quotes: one word for a shell, whatever is in it.
std::string shell_word(std::string_view text);
/// The arguments as one line for a shell, quoted where they need it.
std::string command_line(const std::vector<std::string>& arguments);

}  // namespace toroid
