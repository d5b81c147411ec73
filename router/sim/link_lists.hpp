// The links in a set of links, as numbers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace toroid::sim {

/// Links of a router whose sets the tables hold; a router of more has two such rows.
inline constexpr unsigned kRow = 6;

/// Eight words, which are written at once; the first ones have a meaning.
using LinkList = std::array<std::uint32_t, 8>;
/// [set of a row's links]: its links, ascending.
alignas(64) inline constexpr auto kLinksOf = [] {
  std::array<LinkList, 1u << kRow> all{};
  for (unsigned set = 0; set < all.size(); ++set)
    for (unsigned l = 0, count = 0; l < kRow; ++l)
      if ((set >> l & 1u) != 0) all[set][count++] = l;
  return all;
}();
/// [set of a row's links]: their number.
inline constexpr auto kCountOf = [] {
  std::array<std::uint8_t, 1u << kRow> all{};
  for (unsigned set = 0; set < all.size(); ++set)
    all[set] = static_cast<std::uint8_t>(std::popcount(set));
  return all;
}();

}  // namespace toroid::sim
