// Reads numbers of bytes as users type them: "480", "64 kB", "1KiB".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

struct ByteUnit {
  std::string_view name;
  double bytes;
};
/// The units of SI and IEC: 1 kB is 1000 B, 1 KiB is 1024 B.
inline constexpr std::array<ByteUnit, 7> kByteUnits = {{{"B", 1},
                                                        {"kB", 1e3},
                                                        {"KiB", 1024},
                                                        {"MB", 1e6},
                                                        {"MiB", 1048576},
                                                        {"GB", 1e9},
                                                        {"GiB", 1073741824}}};

/// The values that an option takes, in bytes.
struct ByteLimits {
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
  double unit = 1;  ///< bytes of one where a number has no unit
};

/// The number of bytes that the text stands for. Throws BadInput, with what was typed and expected,
/// where it is not a whole number of bytes within the limits.
std::uint64_t parse_bytes(std::string_view text, const ByteLimits& limits);

}  // namespace toroid
