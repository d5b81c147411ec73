// Reads numbers as users type them, numbers of bytes with units, and ranges of them: "0.1:1.0:0.1"
// goes by steps, "1KiB:64KiB:x2" by a factor.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace toroid {

struct Unit {
  std::string_view name;
  double factor;  ///< of one in the base unit
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

/// A number and what stands behind it, without the blanks between: "100 ns", "480".
struct NumberWithUnit {
  double number = 0;
  std::string_view digits;  ///< as typed
  std::string_view unit;
};
/// None where the text begins with no such number. `format`: with an exponent or without.
std::optional<NumberWithUnit> parse_with_unit(std::string_view text, std::chars_format format);

/// The values that an option takes, in bytes.
struct ByteLimits {
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
  double unit = 1;  ///< bytes of one where a number has no unit
};

/// The number of bytes that the text stands for. Throws BadInput, with what was typed and expected,
/// where it is not a whole number of bytes within the limits.
std::uint64_t parse_bytes(std::string_view text, const ByteLimits& limits);

/// The smallest and the largest value allowed.
struct NumberLimits {
  double min;
  double max;
};

/// One number, or those of a range FROM:TO:STEP or FROM:TO:xFACTOR, the last not above TO. The
/// numbers of a range are those a user would type: 0.3, not 0.30000000000000004. Throws BadInput.
std::vector<double> parse_numbers(std::string_view text, const NumberLimits& limits);

/// The same for numbers of bytes, each with a unit or without. A factor need not be whole; its
/// products are rounded down.
std::vector<std::uint64_t> parse_byte_counts(std::string_view text, const ByteLimits& limits);

/// The same for whole numbers that count something else; FROM:TO goes by 1.
std::vector<std::uint64_t> parse_counts(std::string_view text, const ByteLimits& limits);

}  // namespace toroid
