// The links in a set of at most six links, as lists in the order in which the links choose.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "hal/shape.hpp"
#include "router/rules/link_order.hpp"

namespace toroid::sim {

/// A vector of four words. Every processor has vectors of this size.
using FourWords [[gnu::vector_size(16)]] = std::uint32_t;

/// Links that the lists hold.
inline constexpr unsigned kRow = LinkOrder::kRowLinks;

/// The links of a set, in the order in which they choose; only the first ones are valid (see
/// kCountOf).
using LinkList = std::array<std::uint8_t, 8>;
/// [LinkOrder::row()][set of links]
alignas(64) inline constexpr auto kLinksOf = [] {
  std::array<std::array<LinkList, 1u << kRow>, LinkOrder::kRows> all{};
  for (unsigned row = 0; row < all.size(); ++row)
    for (unsigned set = 0; set < all[row].size(); ++set) {
      unsigned count = 0;
      for (const std::uint8_t link : LinkOrder::of_row(row).links())
        if (link < kRow && (set >> link & 1u) != 0) all[row][set][count++] = link;
    }
  return all;
}();
/// [set of a row's links]: the number of links.
inline constexpr auto kCountOf = [] {
  std::array<std::uint8_t, 1u << kRow> all{};
  for (unsigned set = 0; set < all.size(); ++set)
    all[set] = static_cast<std::uint8_t>(std::popcount(set));
  return all;
}();

/// Writes a node's links to `list` in an order, each as node * 2^link_bits + link. Writes eight
/// words, of which the first kCountOf[set] are valid.
template <unsigned link_bits>
[[gnu::always_inline]] inline void list_links(std::uint32_t* list, Rank node, unsigned set,
                                              unsigned row) {
  using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
  using Shorts [[gnu::vector_size(16)]] = std::uint16_t;
  using Longs [[gnu::vector_size(16)]] = std::uint64_t;
  const auto links =
      std::bit_cast<Bytes>(Longs{std::bit_cast<std::uint64_t>(kLinksOf[row][set]), 0});
  const auto shorts = std::bit_cast<Shorts>(__builtin_shufflevector(
      links, Bytes{}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  const Shorts low = __builtin_shufflevector(shorts, Shorts{}, 0, 8, 1, 9, 2, 10, 3, 11);
  const Shorts high = __builtin_shufflevector(shorts, Shorts{}, 4, 12, 5, 13, 6, 14, 7, 15);
  const FourWords first = std::bit_cast<FourWords>(low) + (node << link_bits);
  const FourWords second = std::bit_cast<FourWords>(high) + (node << link_bits);
  std::memcpy(list, &first, sizeof first);
  std::memcpy(list + 4, &second, sizeof second);
}

}  // namespace toroid::sim
