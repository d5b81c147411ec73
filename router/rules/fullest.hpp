// Finds the fullest of several inputs whose fill levels are stored side by side.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hal/random.hpp"

namespace toroid {

/// Fill levels of at most 32 inputs.
using FillLevels = std::array<std::uint8_t, 32>;

/// Ranks of 32 inputs among equals: one of 64 drawn permutations, changed by a mask so that either
/// of two inputs comes first equally often.
class DrawnRanks {
 public:
  static constexpr unsigned kInputs = 32;
  static constexpr unsigned kPermutations = 64;
  struct Tables {
    alignas(64) std::array<std::array<std::int16_t, kInputs>, kPermutations> rank;
    std::array<std::array<std::uint8_t, kInputs>, kPermutations> input;  ///< [permutation][rank]
  };

  /// REQUIRES: permutation < kPermutations, mask < kInputs.
  DrawnRanks(unsigned permutation, unsigned mask) : permutation_(permutation), mask_(mask) {}

  /// From 0 to 31; the highest goes first. REQUIRES: input < 32.
  unsigned operator[](unsigned input) const;
  unsigned input_of(unsigned rank) const;
  /// [input]: the ranks before the mask changes them.
  const std::int16_t* unmasked() const;
  unsigned mask() const { return mask_; }

 private:
  unsigned permutation_;
  unsigned mask_;
};

inline constexpr DrawnRanks::Tables kDrawnRanks = [] {
  DrawnRanks::Tables tables{};
  Random random(1);
  for (unsigned p = 0; p < DrawnRanks::kPermutations; ++p) {
    auto& input = tables.input[p];
    for (unsigned i = 0; i < DrawnRanks::kInputs; ++i) input[i] = static_cast<std::uint8_t>(i);
    for (unsigned i = DrawnRanks::kInputs - 1; i > 0; --i)
      std::swap(input[i], input[random.below(i + 1)]);
    for (unsigned rank = 0; rank < DrawnRanks::kInputs; ++rank)
      tables.rank[p][input[rank]] = static_cast<std::int16_t>(rank);
  }
  return tables;
}();

inline unsigned DrawnRanks::operator[](unsigned input) const {
  return static_cast<unsigned>(kDrawnRanks.rank[permutation_][input]) ^ mask_;
}
inline unsigned DrawnRanks::input_of(unsigned rank) const {
  return kDrawnRanks.input[permutation_][rank ^ mask_];
}
inline const std::int16_t* DrawnRanks::unmasked() const {
  return kDrawnRanks.rank[permutation_].data();
}

/// The fullest candidate, or any if levels do not count; the ranks decide between equals. Each
/// input becomes a number, and the largest number wins; eight are compared at once. No branch
/// depends on levels or candidates, which are unpredictable. REQUIRES: candidates != 0.
inline unsigned first_of(std::uint32_t candidates, bool levels_count, const DrawnRanks& ranks,
                         const FillLevels& levels) {
  using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
  using Keys [[gnu::vector_size(16)]] = std::int16_t;
  static constexpr auto kAllIf = [] {  // [eight bits]: for each bit, a mask of all ones or zeros
    std::array<std::array<std::int16_t, 8>, 256> masks{};
    for (unsigned bits = 0; bits < masks.size(); ++bits)
      for (unsigned i = 0; i < 8; ++i) masks[bits][i] = (bits >> i & 1u) != 0 ? -1 : 0;
    return masks;
  }();
  const auto all = [](unsigned value) {
    const auto v = static_cast<std::int16_t>(value);
    return Keys{v, v, v, v, v, v, v, v};
  };
  static constexpr FillLevels kNone{};
  const std::uint8_t* const counted = levels_count ? levels.data() : kNone.data();
  const Keys changed = all(ranks.mask());
  Keys best{};
  const auto fold = [&best](const Keys& other) { best = other > best ? other : best; };
  const auto eight = [&](unsigned first, const Bytes& widened) {
    Keys mask;
    Keys rank;
    std::memcpy(&mask, &kAllIf[candidates >> first & 0xffu], sizeof mask);
    std::memcpy(&rank, ranks.unmasked() + first, sizeof rank);
    fold(((std::bit_cast<Keys>(widened) << 7) | (rank ^ changed)) & mask);
  };
  for (unsigned first = 0; first < levels.size(); first += 16) {
    Bytes some;
    std::memcpy(&some, counted + first, sizeof some);
    const Bytes zero{};
    eight(first, __builtin_shufflevector(some, zero, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6,
                                         22, 7, 23));
    eight(first + 8, __builtin_shufflevector(some, zero, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                             29, 14, 30, 15, 31));
  }
  fold(__builtin_shufflevector(best, best, 4, 5, 6, 7, 0, 1, 2, 3));
  fold(__builtin_shufflevector(best, best, 2, 3, 0, 1, 6, 7, 4, 5));
  fold(__builtin_shufflevector(best, best, 1, 0, 3, 2, 5, 4, 7, 6));
  // If the largest number is 0, then the candidate of rank 0 is the only one.
  return ranks.input_of(static_cast<unsigned>(best[0]) % DrawnRanks::kInputs);
}

}  // namespace toroid
