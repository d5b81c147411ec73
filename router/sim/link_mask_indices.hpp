// The links in a set of links, as lists of numbers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hal/shape.hpp"

namespace toroid::sim {

/// A vector of four words. Every processor has vectors of this size.
using FourWords [[gnu::vector_size(16)]] = std::uint32_t;

/// Links per table row; a router with more links uses two rows.
inline constexpr unsigned kRow = 6;

/// Eight words that are written at once; only the first ones are valid (see kCountOf).
using LinkList = std::array<std::uint32_t, 8>;
/// [set of a row's links]: the links in ascending order.
alignas(64) inline constexpr auto kLinksOf = [] {
  std::array<LinkList, 1u << kRow> all{};
  for (unsigned set = 0; set < all.size(); ++set)
    for (unsigned l = 0, count = 0; l < kRow; ++l)
      if ((set >> l & 1u) != 0) all[set][count++] = l;
  return all;
}();
/// [set of a row's links]: the number of links.
inline constexpr auto kCountOf = [] {
  std::array<std::uint8_t, 1u << kRow> all{};
  for (unsigned set = 0; set < all.size(); ++set)
    all[set] = static_cast<std::uint8_t>(std::popcount(set));
  return all;
}();

/// Writes a node's links to `list`, each as node * 2^link_bits + link. `set` holds links of one
/// row, whose first link is `first`. Writes eight words, of which the first kCountOf[set] are
/// valid.
template <unsigned link_bits>
[[gnu::always_inline]] inline void list_links(std::uint32_t* list, Rank node, unsigned set,
                                              unsigned first) {
  const LinkList& links = kLinksOf[set];
  for (std::size_t k = 0; k < links.size(); k += 4) {
    FourWords some;
    std::memcpy(&some, &links[k], sizeof some);
    some += (node << link_bits) + first;
    std::memcpy(list + k, &some, sizeof some);
  }
}

}  // namespace toroid::sim
