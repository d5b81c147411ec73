// Bytes that processes send each other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace toroid {

using Blob = std::vector<std::byte>;

inline std::string text_of(std::span<const std::byte> blob) {
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

}  // namespace toroid
