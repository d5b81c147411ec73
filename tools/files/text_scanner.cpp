#include "tools/files/text_scanner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "hal/check.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr std::size_t kShown = 24;  ///< characters of the text in a message

}  // namespace

void TextScanner::refuse(std::uint32_t line, const std::string& why) const {
  throw BadInput(one_line(fmt::format("{}:{}: {}", file_, line, why)));
}

void TextScanner::expected(std::string_view what) const {
  if (at_end()) refuse(fmt::format("expected {}, not the end of the file", what));
  if (at_line_end()) refuse(fmt::format("expected {}, not the end of the line", what));
  const std::string_view line = rest().substr(0, std::min(rest().find_first_of("\r\n"), kShown));
  refuse(fmt::format("expected {}, not '{}'", what, line));
}

void TextScanner::skip_blanks() {
  at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
}

bool TextScanner::at_line_end() const {
  return rest().starts_with('\n') || rest().starts_with("\r\n");
}

void TextScanner::next_line() {
  at_ += rest().starts_with('\n') ? 1 : 2;
  ++line_;
}

bool TextScanner::take(char c) {
  if (!rest().starts_with(c)) return false;
  ++at_;
  return true;
}

std::string_view TextScanner::take_identifier() {
  if (at_end() || !is_letter(text_[at_])) return {};
  const std::size_t begin = at_;
  while (!at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::uint64_t TextScanner::take_number(std::uint64_t max, std::string_view what) {
  std::uint64_t value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (end == begin || !is_digit(*begin)) expected(what);
  if (error != std::errc() || value > max) expected(fmt::format("{} of at most {}", what, max));
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

double TextScanner::take_decimal(double max, std::string_view what) {
  double value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (end == begin || !is_digit(*begin)) expected(what);
  if (error != std::errc() || !(value <= max)) expected(fmt::format("{} of at most {}", what, max));
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

}  // namespace toroid
