#include "tools/text/split_and_wrap.hpp"

#include <fmt/core.h>

namespace toroid {

std::vector<std::string> word_wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > columns)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string list_entry(std::string_view heading, std::string_view text, std::size_t indent,
                       std::size_t begin) {
  std::string entry = fmt::format("{:{}}{}", "", indent, heading);
  bool first = true;
  for (const std::string& line : word_wrapped(text, kPageColumns - begin)) {
    if (line.empty()) break;
    if (!first || entry.size() + 1 > begin) entry += '\n';
    const std::size_t used = first && entry.back() != '\n' ? entry.size() : 0;
    entry += fmt::format("{:{}}{}", "", begin - used, line);
    first = false;
  }
  return entry + '\n';
}

std::string with_hanging_indent(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  for (std::size_t room = width; text.size() > room; room = width - indent) {
    const std::size_t blank = text.rfind(' ', room);
    const bool between = blank != std::string_view::npos && blank > 0;
    const std::size_t cut = between ? blank : room;
    lines += std::string(text.substr(0, cut)) + '\n' + std::string(indent, ' ');
    text.remove_prefix(between ? cut + 1 : cut);
  }
  return lines + std::string(text) + '\n';
}

namespace {

/// Whether the word needs no quotes in a shell.
bool needs_no_quotes(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
}

}  // namespace

std::string counted(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

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
