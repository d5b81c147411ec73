// Reads a text word by word, line by line, and says where something is not as expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toroid {

class TextScanner {
 public:
  /// `file` is for messages. Both outlive the scanner.
  TextScanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool at_end() const { return at_ == text_.size(); }
  std::uint32_t line() const { return line_; }
  /// Throws BadInput: FILE:LINE: expected ..., and what is there instead.
  [[noreturn]] void expected(std::string_view what) const;
  [[noreturn]] void refuse(const std::string& why) const { refuse(line_, why); }
  [[noreturn]] void refuse(std::uint32_t line, const std::string& why) const;

  /// Blanks and tabs.
  void skip_blanks();
  bool at_line_end() const;
  /// REQUIRES: at_line_end().
  void next_line();
  /// Takes the character if it is next.
  bool take(char c);
  /// The letters, digits and underscores that follow, as long as the first is a letter.
  std::string_view take_identifier();
  /// The digits that follow, up to `max`. Else: expected `what`.
  std::uint64_t take_number(std::uint64_t max, std::string_view what);
  /// Digits with a decimal point, perhaps an exponent, from 0 to `max`. Else: expected `what`.
  double take_decimal(double max, std::string_view what);

 private:
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace toroid
