// Numbers of bytes as users type them: "480", "64 kB", "1KiB".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

struct ByteUnit {
  std::string_view name;
  double bytes;
};
/// IEC's and SI's: a kB is 1000 B, a KiB is 1024 B.
inline constexpr std::array<ByteUnit, 7> kByteUnits = {{{"B", 1},
                                                        {"kB", 1e3},
                                                        {"KiB", 1024},
                                                        {"MB", 1e6},
                                                        {"MiB", 1048576},
                                                        {"GB", 1e9},
                                                        {"GiB", 1073741824}}};

/// What values an option takes.
struct ByteLimits {
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
  double unit = 1;  ///< bytes that a number without a unit counts
};

/// Throws BadInput, with what was typed and expected, where the text is no number with or without a
/// unit, or is not a whole number of bytes within the limits.
std::uint64_t parse_bytes(std::string_view text, const ByteLimits& limits);

}  // namespace toroid
