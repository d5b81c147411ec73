// The order in which equal inputs of a router go, drawn anew for each cycle.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "hal/fair_maps.hpp"

namespace toroid {

/// Eight numbers that are compared at once. Every processor has vectors of this size.
using EightKeys [[gnu::vector_size(16)]] = std::int16_t;

/// 16 bytes as numbers.
inline std::array<EightKeys, 2> widened(const std::uint8_t* bytes) {
  using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
  Bytes some;
  std::memcpy(&some, bytes, sizeof some);
  const Bytes zero{};
  return {std::bit_cast<EightKeys>(__builtin_shufflevector(some, zero, 0, 16, 1, 17, 2, 18, 3, 19,
                                                           4, 20, 5, 21, 6, 22, 7, 23)),
          std::bit_cast<EightKeys>(__builtin_shufflevector(some, zero, 8, 24, 9, 25, 10, 26, 11, 27,
                                                           12, 28, 13, 29, 14, 30, 15, 31))};
}

/// Ranks of 32 inputs among equals: one of FairMaps, with an element added. So few maps are needed,
/// and they fit into the first-level cache beside the model's records.
class DrawnRanks {
 public:
  static constexpr unsigned kInputs = 32;
  static constexpr unsigned kMaps = FairMaps<5>::kMaps;

  /// `lot`: its upper 32 bits draw the map, its last 5 bits the element b that is added.
  explicit DrawnRanks(std::uint64_t lot)
      : DrawnRanks(static_cast<unsigned>((lot >> 32) * kMaps >> 32), lot % kInputs) {}

  /// From 0 to 31; the highest goes first. REQUIRES: input < 32.
  unsigned operator[](unsigned input) const;
  /// The input of a rank. REQUIRES: rank < 32.
  unsigned input_of(unsigned rank) const;
  /// The ranks of inputs 8·i to 8·i + 7.
  const EightKeys& eight(unsigned i) const { return ranks_[i]; }

 private:
  DrawnRanks(unsigned map, unsigned b);

  std::array<EightKeys, kInputs / 8> ranks_;
  const std::uint8_t* inputs_;  ///< [rank - b]
  unsigned b_;
};

inline DrawnRanks::DrawnRanks(unsigned map, unsigned b)
    : inputs_(kFairMaps<5>.element[map].data()), b_(b) {
  const auto added = static_cast<std::int16_t>(b);  // addition in the field is XOR
  for (unsigned i = 0; i < ranks_.size(); i += 2) {
    const auto [low, high] = widened(&kFairMaps<5>.rank[map][8 * i]);
    ranks_[i] = low ^ added;
    ranks_[i + 1] = high ^ added;
  }
}
inline unsigned DrawnRanks::input_of(unsigned rank) const {
  return inputs_[rank ^ b_];
}
inline unsigned DrawnRanks::operator[](unsigned input) const {
  return static_cast<unsigned>(ranks_[input / 8][input % 8]);
}

}  // namespace toroid
