#include "tools/text/byte_count.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>

#include "hal/check.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

/// Up to this number of bytes a double is exact.
constexpr double kMostExactBytes = 9007199254740992.0;

[[noreturn]] void refuse_bytes(std::string_view text, const ByteLimits& limits) {
  if (limits.unit == 1e6)
    throw BadInput(fmt::format("'{}' is not a size from {}MB to {}MB, the unit where there is none",
                               shortened(text), static_cast<double>(limits.min) / 1e6,
                               static_cast<double>(limits.max) / 1e6));
  throw BadInput(
      fmt::format("'{}' is not a whole number from {} to {}, nor one with a unit, as 1KiB",
                  shortened(text), limits.min, limits.max));
}

[[noreturn]] void refuse_unit(std::string_view text, std::string_view unit) {
  std::array<std::string_view, kByteUnits.size()> names;
  std::ranges::transform(kByteUnits, names.begin(), &ByteUnit::name);
  throw BadInput(fmt::format("'{}': {}", shortened(text), unknown_name("unit", unit, names)));
}

bool is_number(std::string_view digits) {
  return !digits.empty() && digits.front() != '.' && digits.back() != '.' &&
         std::ranges::count(digits, '.') <= 1;
}

/// Without a unit the number has to be whole.
std::optional<double> bytes_of(std::string_view digits, double unit, bool has_unit) {
  if (!is_number(digits) || (!has_unit && digits.find('.') != std::string_view::npos)) return {};
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, error] = std::from_chars(digits.data(), end, number, std::chars_format::fixed);
  const double bytes = number * unit;
  if (error != std::errc() || read != end || bytes > kMostExactBytes || bytes != std::floor(bytes))
    return {};
  return bytes;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text, const ByteLimits& limits) {
  const std::size_t begin = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view digits = text.substr(0, begin);
  std::string_view unit = text.substr(begin);
  if (digits.empty()) refuse_bytes(text, limits);
  if (unit.size() > 1 && unit.front() == ' ') unit.remove_prefix(1);
  const auto* const known = std::ranges::find(kByteUnits, unit, &ByteUnit::name);
  if (!unit.empty() && known == kByteUnits.end()) refuse_unit(text, unit);
  const auto bytes = bytes_of(digits, unit.empty() ? limits.unit : known->bytes, !unit.empty());
  if (!bytes || *bytes < static_cast<double>(limits.min) ||
      *bytes > static_cast<double>(limits.max))
    refuse_bytes(text, limits);
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace toroid
