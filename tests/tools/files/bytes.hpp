// Helpers for composing files byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace toroid::testing {

/// A number as `size` bytes in little-endian order.
inline std::string little(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

inline std::string reversed(std::string_view bytes) {
  return {bytes.rbegin(), bytes.rend()};
}

inline std::string big(std::uint64_t value, std::size_t size) {
  return reversed(little(value, size));
}

}  // namespace toroid::testing
