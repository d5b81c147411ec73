#include "tools/lab/paper/expression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Recursive descent: a sum of products of factors. Unknown values are NaN.
class Evaluation {
 public:
  Evaluation(std::string_view text, const NameValue& value_of) : text_(text), value_of_(value_of) {}

  double value() {
    const double value = sum();
    if (at_ != text_.size()) refuse();
    return value;
  }

 private:
  double sum() {
    double value = product();
    for (;;)
      if (takes('+'))
        value += product();
      else if (takes('-'))
        value -= product();
      else
        return value;
  }

  double product() {
    double value = factor();
    for (;;)
      if (takes('*'))
        value *= factor();
      else if (takes('/'))
        value = quotient(value, factor());
      else
        return value;
  }

  static double quotient(double dividend, double divisor) {
    return divisor == 0 ? kUnknown : dividend / divisor;
  }

  double factor() {
    if (takes('(')) {
      const double value = sum();
      if (!takes(')')) refuse();
      return value;
    }
    skip_blanks();
    double number = 0;
    const char* const end = text_.data() + text_.size();
    const auto [read, error] = std::from_chars(text_.data() + at_, end, number);
    if (error == std::errc()) {
      at_ = static_cast<std::size_t>(read - text_.data());
      return number;
    }
    return value_of_(name()).value_or(kUnknown);
  }

  std::string_view name() {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of(kLetters, begin), text_.size());
    if (at_ == begin) refuse();
    return text_.substr(begin, at_ - begin);
  }

  bool takes(char sign) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  [[noreturn]] void refuse() const {
    throw BadInput(fmt::format("'{}' is not an expression: error at character {}", text_, at_ + 1));
  }

  std::string_view text_;
  const NameValue& value_of_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<double> evaluate(std::string_view text, const NameValue& value_of) {
  if (text == "-" || text.empty()) return std::nullopt;
  const double value = Evaluation(text, value_of).value();
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace toroid
