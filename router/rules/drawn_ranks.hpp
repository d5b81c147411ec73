// The order in which equal inputs of a router go, drawn anew for each cycle.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace toroid {

/// Ranks of 32 inputs among equals. Inputs are taken as elements of the field with 32 elements, and
/// the rank of input x is a·x^(2^k) + b, where a != 0, k and b are drawn. Over all 4,960 draws,
/// - either of two inputs has the higher rank in exactly half of the draws;
/// - three inputs have each set of three ranks exactly once.
/// So few maps are needed, and they fit into the first-level cache beside the model's records.
class DrawnRanks {
 public:
  static constexpr unsigned kInputs = 32;
  static constexpr unsigned kMaps = 31 * 5;  ///< pairs of a and k
  using Keys [[gnu::vector_size(16)]] = std::int16_t;

  /// `lot`: its upper 32 bits draw a and k, its last 5 bits draw b.
  explicit DrawnRanks(std::uint64_t lot)
      : DrawnRanks(static_cast<unsigned>((lot >> 32) * kMaps >> 32), lot % kInputs) {}

  /// From 0 to 31; the highest goes first. REQUIRES: input < 32.
  unsigned operator[](unsigned input) const;
  /// The input of a rank. REQUIRES: rank < 32.
  unsigned input_of(unsigned rank) const;
  /// The ranks of inputs 8·i to 8·i + 7.
  const Keys& eight(unsigned i) const { return ranks_[i]; }

 private:
  DrawnRanks(unsigned map, unsigned b);

  std::array<Keys, kInputs / 8> ranks_;
  const std::uint8_t* inputs_;  ///< [rank - b]
  unsigned b_;
};

namespace drawn_ranks {

/// a·b in the field with 32 elements: polynomials over two elements modulo x^5 + x^2 + 1.
constexpr unsigned product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 5; ++i) sum ^= (b >> i & 1u) != 0 ? a << i : 0;
  for (unsigned i = 9; i > 4; --i) sum ^= (sum >> i & 1u) != 0 ? 0b100101u << (i - 5) : 0;
  return sum;
}

using Map = std::array<std::uint8_t, DrawnRanks::kInputs>;
struct Maps {
  std::array<Map, DrawnRanks::kMaps> rank;   ///< [map][input], for b = 0
  std::array<Map, DrawnRanks::kMaps> input;  ///< [map][rank], for b = 0
};
alignas(64) inline constexpr Maps kMaps = [] {
  Maps maps{};
  for (unsigned m = 0; m < DrawnRanks::kMaps; ++m)
    for (unsigned x = 0; x < DrawnRanks::kInputs; ++x) {
      unsigned power = x;
      for (unsigned k = 0; k < m / 31; ++k) power = product(power, power);
      const unsigned rank = product(m % 31 + 1, power);
      maps.rank[m][x] = static_cast<std::uint8_t>(rank);
      maps.input[m][rank] = static_cast<std::uint8_t>(x);
    }
  return maps;
}();

}  // namespace drawn_ranks

inline DrawnRanks::DrawnRanks(unsigned map, unsigned b)
    : inputs_(drawn_ranks::kMaps.input[map].data()), b_(b) {
  using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
  const auto added = static_cast<std::int16_t>(b);  // addition in the field is XOR
  const Keys all = {added, added, added, added, added, added, added, added};
  const Bytes none{};
  for (unsigned half = 0; half < 2; ++half) {
    Bytes some;
    std::memcpy(&some, &drawn_ranks::kMaps.rank[map][16 * half], sizeof some);
    ranks_[2 * half] =
        all ^ std::bit_cast<Keys>(__builtin_shufflevector(some, none, 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                                          20, 5, 21, 6, 22, 7, 23));
    ranks_[2 * half + 1] =
        all ^ std::bit_cast<Keys>(__builtin_shufflevector(some, none, 8, 24, 9, 25, 10, 26, 11, 27,
                                                          12, 28, 13, 29, 14, 30, 15, 31));
  }
}
inline unsigned DrawnRanks::input_of(unsigned rank) const {
  return inputs_[rank ^ b_];
}
inline unsigned DrawnRanks::operator[](unsigned input) const {
  return static_cast<unsigned>(ranks_[input / 8][input % 8]);
}

}  // namespace toroid
