// Orders of 8 or 32 things that favour none of them.
#pragma once

#include <array>
#include <cstdint>

namespace toroid {

/// The maps x -> a·x^(2^k), a != 0, of a field with 2^bits elements, as tables. With every element
/// b added (by XOR) to every map, they give each element a rank such that
/// - either of two elements has the higher rank in exactly half of the cases;
/// - three elements have each set of three ranks equally often. With 8 elements, each of the three
///   is then the highest in exactly a third of the cases.
template <unsigned bits>
struct FairMaps {
  static constexpr unsigned kElements = 1u << bits;
  static constexpr unsigned kMaps = (kElements - 1) * bits;
  using Map = std::array<std::uint8_t, kElements>;

  std::array<Map, kMaps> rank;     ///< [map][element]
  std::array<Map, kMaps> element;  ///< [map][rank]

  constexpr FairMaps() : rank(), element() {
    for (unsigned m = 0; m < kMaps; ++m)
      for (unsigned x = 0; x < kElements; ++x) {
        unsigned power = x;
        for (unsigned k = 0; k < m / (kElements - 1); ++k) power = product(power, power);
        rank[m][x] = static_cast<std::uint8_t>(product(m % (kElements - 1) + 1, power));
        element[m][rank[m][x]] = static_cast<std::uint8_t>(x);
      }
  }

  /// Of polynomials over two elements, modulo x^3 + x + 1 or x^5 + x^2 + 1.
  static constexpr unsigned product(unsigned a, unsigned b) {
    static_assert(bits == 3 || bits == 5);
    constexpr unsigned kModulus = bits == 3 ? 0b1011u : 0b100101u;
    unsigned sum = 0;
    for (unsigned i = 0; i < bits; ++i) sum ^= (b >> i & 1u) != 0 ? a << i : 0;
    for (unsigned i = 2 * bits - 1; i >= bits; --i)
      sum ^= (sum >> i & 1u) != 0 ? kModulus << (i - bits) : 0;
    return sum;
  }
};

template <unsigned bits>
alignas(64) inline constexpr FairMaps<bits> kFairMaps{};

}  // namespace toroid
