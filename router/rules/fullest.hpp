// Finds the fullest of several inputs whose fill levels are stored side by side.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "router/rules/drawn_ranks.hpp"

namespace toroid {

/// Fill levels of at most 32 inputs.
using FillLevels = std::array<std::uint8_t, 32>;

/// The fullest candidate, or any if levels do not count; the ranks decide between equals. Each
/// input becomes a number, and the largest number wins; eight are compared at once. No branch
/// depends on levels or candidates, which are unpredictable. REQUIRES: candidates != 0.
inline unsigned first_of(std::uint32_t candidates, bool levels_count, const DrawnRanks& ranks,
                         const FillLevels& levels) {
  static constexpr auto kAllIf = [] {  // [eight bits]: for each bit, a mask of all ones or zeros
    std::array<std::array<std::int16_t, 8>, 256> masks{};
    for (unsigned bits = 0; bits < masks.size(); ++bits)
      for (unsigned i = 0; i < 8; ++i) masks[bits][i] = (bits >> i & 1u) != 0 ? -1 : 0;
    return masks;
  }();
  static constexpr FillLevels kNone{};
  const std::uint8_t* const counted = levels_count ? levels.data() : kNone.data();
  EightKeys best{};
  const auto fold = [&best](const EightKeys& other) { best = other > best ? other : best; };
  const auto fold_eight = [&](unsigned first, const EightKeys& used) {
    EightKeys mask;
    std::memcpy(&mask, &kAllIf[candidates >> first & 0xffu], sizeof mask);
    fold(((used << 7) | ranks.eight(first / 8)) & mask);
  };
  for (unsigned first = 0; first < levels.size(); first += 16) {
    const auto [low, high] = widened(counted + first);
    fold_eight(first, low);
    fold_eight(first + 8, high);
  }
  fold(__builtin_shufflevector(best, best, 4, 5, 6, 7, 0, 1, 2, 3));
  fold(__builtin_shufflevector(best, best, 2, 3, 0, 1, 6, 7, 4, 5));
  fold(__builtin_shufflevector(best, best, 1, 0, 3, 2, 5, 4, 7, 6));
  // If the largest number is 0, then the candidate of rank 0 is the only one.
  return ranks.input_of(static_cast<unsigned>(best[0]) % DrawnRanks::kInputs);
}

}  // namespace toroid
