// Bytes that processes send each other.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

using Blob = std::vector<std::byte>;

inline std::string text_of(std::span<const std::byte> blob) {
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

/// The bytes of a value, to be read by another process of the same program.
template <typename T>
Blob blob_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

/// The value that blob_of() has packed on another process. Throws RunFailed if the length is wrong.
template <typename T>
T value_of(const Blob& blob) {
  if (blob.size() != sizeof(T))
    throw RunFailed(
        fmt::format("another process sent {} bytes; expected {}", blob.size(), sizeof(T)));
  T value;
  std::memcpy(&value, blob.data(), sizeof(T));
  return value;
}

}  // namespace toroid
