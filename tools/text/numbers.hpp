// Reads numbers that users type: plain numbers, bytes with units, and ranges. "0.1:1.0:0.1" is a
// range by steps, "1KiB:64KiB:x2" a range by a factor.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace toroid {

struct Unit {
  std::string_view name;
  double factor;  ///< base units in one of this unit
};
/// The units of SI and IEC: 1 kB is 1000 B, 1 KiB is 1024 B.
inline constexpr std::array<Unit, 7> kByteUnits = {{{"B", 1},
                                                    {"kB", 1e3},
                                                    {"KiB", 1024},
                                                    {"MB", 1e6},
                                                    {"MiB", 1048576},
                                                    {"GB", 1e9},
                                                    {"GiB", 1073741824}}};

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A number and the unit after it, without the blanks in between: "100 ns", "480".
struct NumberWithUnit {
  double number = 0;
  std::string_view digits;  ///< as typed
  std::string_view unit;
};
/// Splits a text into its number and its unit. Returns nothing if the text does not begin with a
/// number. `format` says whether the number may have an exponent.
std::optional<NumberWithUnit> parse_with_unit(std::string_view text, std::chars_format format);

/// The range of values that an option accepts, in bytes.
struct ByteLimits {
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
  double unit = 1;  ///< bytes per unit for numbers typed without a unit
};

/// Returns the number of bytes in the text. Throws BadInput if it is not a whole number of bytes
/// within the limits.
std::uint64_t parse_bytes(std::string_view text, const ByteLimits& limits);

/// The smallest and the largest value allowed.
struct NumberLimits {
  double min;
  double max;
};

/// Returns one number, or the numbers of a range FROM:TO:STEP or FROM:TO:xFACTOR up to TO. The
/// numbers of a range have no rounding errors: 0.3, not 0.30000000000000004. Throws BadInput.
std::vector<double> parse_numbers(std::string_view text, const NumberLimits& limits);

/// Like parse_numbers(), for numbers of bytes, each with or without a unit. The factor of a range
/// need not be whole; the values of such a range are rounded down.
std::vector<std::uint64_t> parse_byte_counts(std::string_view text, const ByteLimits& limits);

/// Like parse_byte_counts(), for numbers of other things. A range FROM:TO without a step has step
/// 1.
std::vector<std::uint64_t> parse_counts(std::string_view text, const ByteLimits& limits);

struct MeanAndDeviation {
  double mean;
  double deviation;  ///< of the sample; 0 for one value, and exactly 0 for equal values
};
/// REQUIRES: `values` is not empty.
MeanAndDeviation mean_and_deviation(std::span<const double> values);

}  // namespace toroid
