// Splits texts at separators, wraps them to lines, and quotes them for a POSIX shell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// The parts of the text between the separators. Empty parts count, so there is one part more than
/// there are separators. The parts refer to the memory of `text`.
inline std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}
/// The text without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Like parts_of(), but the parts are copies.
inline std::vector<std::string> split(std::string_view text, char separator) {
  const std::vector<std::string_view> parts = parts_of(text, {&separator, 1});
  return {parts.begin(), parts.end()};
}

/// Help and other printed text is wrapped to this number of columns.
inline constexpr std::size_t kPageColumns = 80;

/// Wraps a text to lines of at most `columns` letters, with one blank between words. A longer word
/// is not broken; it gets its own line.
std::vector<std::string> word_wrapped(std::string_view text, std::size_t columns);

/// Wraps a text to lines of at most `width` letters, each with its newline; all but the first begin
/// with `indent` blanks. Blanks within a line are kept, and a word longer than a line is broken.
std::string with_hanging_indent(std::string_view text, std::size_t width, std::size_t indent);

/// An entry of a list: `heading` begins at column `indent`. `text` begins at column `begin`, on the
/// next line if the heading is too long. Each line ends with a newline.
std::string list_entry(std::string_view heading, std::string_view text, std::size_t indent,
                       std::size_t begin);

/// "1 node", "3 nodes".
std::string counted(std::size_t number, std::string_view thing);

/// The text in single quotes, which a shell reads as one word, whatever the text contains.
std::string shell_word(std::string_view text);
/// The arguments as one line for a shell, quoted if necessary.
std::string command_line(const std::vector<std::string>& arguments);

}  // namespace toroid
