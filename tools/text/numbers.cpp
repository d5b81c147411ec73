#include "tools/text/numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <system_error>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

/// Every whole number up to this one can be represented exactly as a double.
constexpr double kMostExactBytes = 9007199254740992.0;

[[noreturn]] void refuse_bytes(std::string_view text, const ByteLimits& limits) {
  if (limits.unit == 1e6)
    throw BadInput(fmt::format("'{}' is not a size from {}MB to {}MB (without a unit: MB)",
                               shortened(text), static_cast<double>(limits.min) / 1e6,
                               static_cast<double>(limits.max) / 1e6));
  throw BadInput(
      fmt::format("'{}' is not a whole number from {} to {} (units such as KiB are allowed)",
                  shortened(text), limits.min, limits.max));
}

[[noreturn]] void refuse_unit(std::string_view text, std::string_view unit) {
  constexpr std::string_view kPrefixes = "kKMG";
  if (unit.size() == 1 && kPrefixes.find(unit) != std::string_view::npos) {
    const std::string number(text.substr(0, text.size() - unit.size()));
    const std::string_view decimal = unit == "K" ? "k" : unit;
    const std::string_view binary = unit == "k" ? "K" : unit;
    throw BadInput(fmt::format("'{}': write {}{}B (powers of 1000) or {}{}iB (powers of 1024)",
                               shortened(text), number, decimal, number, binary));
  }
  std::array<std::string_view, kByteUnits.size()> names;
  std::ranges::transform(kByteUnits, names.begin(), &Unit::name);
  throw BadInput(fmt::format("'{}': {}", shortened(text), unknown_name("unit", unit, names)));
}

/// Whether the number is typed correctly: it must be whole if it has no unit, and a decimal point
/// must have a digit on both sides.
bool is_well_typed(const NumberWithUnit& typed) {
  const std::string_view digits = typed.digits;
  if (!is_digit(digits.front()) || !is_digit(digits.back())) return false;
  return typed.unit.empty() ? digits.find('.') == std::string_view::npos
                            : typed.unit.front() != '.';
}

}  // namespace

std::optional<NumberWithUnit> parse_with_unit(std::string_view text, std::chars_format format) {
  NumberWithUnit typed;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, typed.number, format);
  if (error != std::errc()) return {};
  typed.digits = text.substr(0, static_cast<std::size_t>(read - text.data()));
  typed.unit = text.substr(typed.digits.size());
  const std::size_t begin = typed.unit.find_first_not_of(' ');
  if (begin != typed.unit.npos) typed.unit.remove_prefix(begin);
  return typed;
}

std::uint64_t parse_bytes(std::string_view text, const ByteLimits& limits) {
  const auto typed = parse_with_unit(text, std::chars_format::fixed);
  if (typed && typed->unit.starts_with(','))
    throw BadInput(fmt::format("'{}': write the number without commas", shortened(text)));
  if (typed && typed->unit.size() > 1 && typed->unit[0] == '-' && is_digit(typed->unit[1]))
    throw BadInput(fmt::format("'{}': write {}:{} for the numbers from {} to {}", shortened(text),
                               typed->digits, shortened(typed->unit.substr(1)), typed->digits,
                               shortened(typed->unit.substr(1))));
  if (!typed || !is_well_typed(*typed)) refuse_bytes(text, limits);
  const auto* const unit = std::ranges::find(kByteUnits, typed->unit, &Unit::name);
  if (!typed->unit.empty() && unit == kByteUnits.end()) refuse_unit(text, typed->unit);
  const double bytes = typed->number * (typed->unit.empty() ? limits.unit : unit->factor);
  if (bytes > kMostExactBytes || bytes != std::floor(bytes) ||
      bytes < static_cast<double>(limits.min) || bytes > static_cast<double>(limits.max))
    refuse_bytes(text, limits);
  return static_cast<std::uint64_t>(bytes);
}

namespace {

constexpr std::size_t kMostValues = 10000;  ///< the most values of one range
constexpr double kBeyondAll = 1e19;         ///< bytes; beyond every limit, but below 2^64

/// A range as typed.
struct RangeTexts {
  std::string_view from;
  std::string_view to;
  std::string_view step;  ///< without the x of a factor
  bool is_factor;
};

[[noreturn]] void refuse_range(std::string_view text, std::string_view why) {
  throw BadInput(one_line(
      fmt::format("range '{}': {}; expected FROM:TO:STEP or FROM:TO:xFACTOR, e.g. 1:9:2 or 8:64:x2",
                  shortened(text), why)));
}

/// Returns nothing if the text is not a range. `default_step` is the step of FROM:TO; if it is
/// empty, the user must type the step.
std::optional<RangeTexts> split_range(std::string_view text, std::string_view default_step = "") {
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos) return {};
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string_view::npos) {
    if (default_step.empty()) refuse_range(text, "the step is missing");
    return RangeTexts{text.substr(0, first), text.substr(first + 1), default_step, false};
  }
  RangeTexts range{text.substr(0, first), text.substr(first + 1, second - first - 1),
                   text.substr(second + 1), false};
  if (range.step.find(':') != std::string_view::npos) refuse_range(text, "more than three parts");
  range.is_factor = range.step.starts_with('x');
  if (range.is_factor) range.step.remove_prefix(1);
  return range;
}

std::optional<double> number_of(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

double number_within(std::string_view text, const NumberLimits& limits) {
  const std::optional<double> value = number_of(text);
  if (!value || *value < limits.min || *value > limits.max)
    throw BadInput(
        fmt::format("'{}' is not a number from {} to {}", shortened(text), limits.min, limits.max));
  return *value;
}

double factor_of(std::string_view text, const RangeTexts& range) {
  const std::optional<double> factor = number_of(range.step);
  if (!factor || *factor <= 1) refuse_range(text, "the factor is not a number above 1");
  return *factor;
}

/// Rounds to 12 digits. This removes rounding errors, and users do not type more digits.
double as_typed(double value) {
  return number_of(fmt::format("{:.12g}", value)).value_or(value);
}

/// The values from `from` to at most `to`. `next(count, last)` returns the next value; `count` is
/// the number of values so far, and `last` is the latest of them.
template <typename T, typename Next>
std::vector<T> values_of(std::string_view text, T from, T to, const Next& next) {
  if (from > to) refuse_range(text, "FROM is above TO");
  std::vector<T> values;
  for (T value = from; value <= to; value = next(values.size(), values.back())) {
    if (!values.empty() && value == values.back()) refuse_range(text, "two values are equal");
    if (values.size() == kMostValues)
      refuse_range(text, fmt::format("more than {} values", kMostValues));
    values.push_back(value);
  }
  return values;
}

}  // namespace

std::vector<double> parse_numbers(std::string_view text, const NumberLimits& limits) {
  const std::optional<RangeTexts> range = split_range(text);
  if (!range) return {number_within(text, limits)};
  const double from = number_within(range->from, limits);
  const double to = number_within(range->to, limits);
  if (range->is_factor) {
    const double factor = factor_of(text, *range);
    return values_of(text, from, to, [&](std::size_t i, double) {
      return as_typed(from * std::pow(factor, static_cast<double>(i)));
    });
  }
  const std::optional<double> step = number_of(range->step);
  if (!step || *step <= 0) refuse_range(text, "the step is not a number above 0");
  return values_of(text, from, to, [&](std::size_t i, double) {
    return as_typed(from + *step * static_cast<double>(i));
  });
}

namespace {

std::vector<std::uint64_t> whole_numbers(std::string_view text, const ByteLimits& limits,
                                         std::string_view default_step) {
  const std::optional<RangeTexts> range = split_range(text, default_step);
  if (!range) return {parse_bytes(text, limits)};
  const std::uint64_t from = parse_bytes(range->from, limits);
  const std::uint64_t to = parse_bytes(range->to, limits);
  if (range->is_factor) {
    const double factor = factor_of(text, *range);
    return values_of(text, from, to, [&](std::size_t i, std::uint64_t) {
      const double value = static_cast<double>(from) * std::pow(factor, static_cast<double>(i));
      return static_cast<std::uint64_t>(std::min(value, kBeyondAll));
    });
  }
  const std::uint64_t step = parse_bytes(range->step, {.min = 1});
  return values_of(text, from, to, [&](std::size_t, std::uint64_t last) { return last + step; });
}

}  // namespace

std::vector<std::uint64_t> parse_byte_counts(std::string_view text, const ByteLimits& limits) {
  return whole_numbers(text, limits, "");
}

std::vector<std::uint64_t> parse_counts(std::string_view text, const ByteLimits& limits) {
  return whole_numbers(text, limits, "1");
}

/// Computes relative to the first value, so that equal values have no deviation.
MeanAndDeviation mean_and_deviation(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double beyond = 0;
  for (const double value : values) beyond += value - values.front();
  const double mean = values.front() + beyond / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() < 2 ? 0 : std::sqrt(squares / (count - 1))};
}

}  // namespace toroid
