// Seeded random numbers that are the same with every compiler and optimisation level.
#pragma once

#include <cstdint>

#include "hal/check.hpp"

namespace toroid {

/// SplitMix64's finaliser: a bijection of 64-bit words that mixes every bit into every other.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// A SplitMix64 generator. Its state takes only eight bytes, so each node can have its own. Equal
/// seeds give equal streams.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(mix64(seed + kStep)) {}
  constexpr Random(std::uint64_t seed, std::uint64_t stream) : Random(seed ^ mix64(stream + 1)) {}

  constexpr std::uint64_t next() { return mix64(state_ += kStep); }

  /// Uniform in [0, bound); REQUIRES: bound > 0. Lemire's multiply-shift; its bias is below bound /
  /// 2^32, far too small to show in any schedule here.
  constexpr std::uint32_t below(std::uint32_t bound) {
    TOROID_CHECK_IN_CHECKED_BUILD(bound > 0);
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  constexpr bool coin() { return (next() >> 63) != 0; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;
  std::uint64_t state_;
};

}  // namespace toroid
