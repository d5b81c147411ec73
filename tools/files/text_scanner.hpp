// Scans a text token by token and counts lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toroid {

/// Reads tokens from a text; messages about unexpected tokens have file and line. Invariant: the
/// position is before the next unread character, and `line` is its line. Owned by a parser, for one
/// parse.
class TextScanner {
 public:
  /// `file`: the file's name, for messages. Text and name must outlive the scanner.
  TextScanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool at_end() const { return at_ == text_.size(); }
  std::uint32_t line() const { return line_; }
  /// Throws BadInput "FILE:LINE: expected WHAT, not ..." with the text at the position.
  [[noreturn]] void expected(std::string_view what) const;
  [[noreturn]] void refuse(const std::string& why) const { refuse(line_, why); }
  [[noreturn]] void refuse(std::uint32_t line, const std::string& why) const;

  /// Skips blanks and tabs.
  void skip_blanks();
  bool at_line_end() const;
  /// REQUIRES: at_line_end().
  void next_line();
  /// Takes the character if it is the next one; returns whether it was.
  bool take(char c);
  /// Takes an identifier: a letter followed by letters, digits and underscores. Returns an empty
  /// text if there is none.
  std::string_view take_identifier();
  /// Takes a whole number up to `max`; otherwise throws like expected(what).
  std::uint64_t take_number(std::uint64_t max, std::string_view what);
  /// Takes a decimal number from 0 to `max`, with or without exponent; otherwise throws like
  /// expected(what).
  double take_decimal(double max, std::string_view what);

 private:
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace toroid
