// Fills memory with random bytes, a word at a time, and compares memory by memcmp(). A loop over
// bytes would take longer than the emulated machine, because tests are compiled without
// optimisation and run with sanitizers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hal/random.hpp"

namespace toroid::testing {

inline void fill_at_random(std::span<std::byte> bytes, Random random) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
  }
}

inline bool equal_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace toroid::testing
