// The order in which the links of a node choose among waiting packets.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hal/direction.hpp"

namespace toroid {

/// An order of a node's links. A packet that may take several free links leaves by the one that
/// chooses first: the one with the most tokens in a dynamic channel (the published rule), ties by a
/// drawn order. In a drawn order, every permutation of the dimensions has the same probability, and
/// so has either sign to come first, so no direction has an advantage over another.
class LinkOrder {
 public:
  static constexpr unsigned kRowLinks = 6;  ///< links of the first three dimensions
  static constexpr unsigned kRows = 12;     ///< orders of these: 3! permutations, two signs

  /// REQUIRES: row < kRows. The last three dimensions are ordered in some way.
  static constexpr LinkOrder of_row(unsigned row) { return LinkOrder(row * kPerRow); }
  /// X+ X- Y+ Y- Z+ ...
  static constexpr LinkOrder by_index() { return LinkOrder(kOrders - 1 - kPerRow); }
  /// `lot`: its upper 32 bits draw the order.
  static constexpr LinkOrder drawn(std::uint64_t lot) {
    return LinkOrder(static_cast<std::uint32_t>((lot >> 32) * kOrders >> 32));
  }

  /// The number of the order of the first three dimensions, below kRows.
  constexpr unsigned row() const { return number_ / kPerRow; }
  /// All links, the one that chooses first in front.
  constexpr std::array<std::uint8_t, kMaxLinks> links() const;

 private:
  static constexpr unsigned kPerRow = 4 * 5 * 6;
  static constexpr unsigned kOrders = kRows * kPerRow;  ///< 6! permutations, two signs

  constexpr explicit LinkOrder(std::uint32_t number) : number_(number) {}

  std::uint32_t number_;
};

constexpr std::array<std::uint8_t, kMaxLinks> LinkOrder::links() const {
  const unsigned rest = number_ % kPerRow;
  const unsigned minus_first = row() % 2;
  // Each dimension is inserted at its place among those before it.
  const std::array<unsigned, kMaxDims> place = {0,         row() / 2 % 2, row() / 4,
                                                rest / 30, rest / 6 % 5,  rest % 6};
  std::array<std::uint8_t, kMaxLinks> links{};
  for (unsigned d = 0; d < kMaxDims; ++d) {
    for (unsigned i = 2 * d; i > 2 * place[d]; --i) links[i + 1] = links[i - 1];
    links[2 * place[d]] = static_cast<std::uint8_t>(2 * d + minus_first);
    links[2 * place[d] + 1] = static_cast<std::uint8_t>(2 * d + 1 - minus_first);
  }
  return links;
}

/// Puts a node's links with more tokens first; those with equally many keep their order. The last
/// `index_bits` bits of an element are the link's index; `tokens(index)` returns its tokens.
/// REQUIRES: at least two links.
template <unsigned index_bits, typename Tokens>
void most_tokens_first(std::span<std::uint32_t> links, const Tokens& tokens) {
  const std::uint32_t node = links[0] >> index_bits << index_bits;
  const auto key = [&](std::uint32_t place) {  // tokens : 16 | 15 - place : 8 | index : 8
    const std::uint32_t index = links[place] % (1u << index_bits);
    return std::uint32_t{tokens(index)} << 16 | (15 - place) << 8 | index;
  };
  const auto put = [&](std::uint32_t place, std::uint32_t key) {
    links[place] = node | (key & 255u);
  };
  if (links.size() <= 3) {  // the usual cases, without branches
    const std::uint32_t a = key(0);
    const std::uint32_t b = key(1);
    const std::uint32_t c = links.size() == 3 ? key(2) : 0;
    const std::uint32_t more = std::max(a, b);
    const std::uint32_t less = std::min(a, b);
    put(0, std::max(more, c));
    put(1, std::max(less, std::min(more, c)));
    if (links.size() == 3) put(2, std::min(less, c));
    return;
  }
  std::array<std::uint32_t, kMaxLinks> keys;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const std::uint32_t inserted = key(i);
    std::uint32_t place = i;
    for (; place > 0 && keys[place - 1] < inserted; --place) keys[place] = keys[place - 1];
    keys[place] = inserted;
  }
  for (std::uint32_t i = 0; i < links.size(); ++i) put(i, keys[i]);
}

}  // namespace toroid
