// Orders of links: every permutation of the dimensions, with either sign first, equally often.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "hal/direction.hpp"
#include "router/rules/link_order.hpp"

namespace toroid {
namespace {

constexpr unsigned kOrders = 2 * 720;

/// The order that the n-th of 1,440 equal parts of all lots draws.
LinkOrder order_number(std::uint64_t n) {
  return LinkOrder::drawn(((n << 32) / kOrders + 1) << 32);
}

TEST(LinkOrder, ByIndexIsAscending) {
  std::array<std::uint8_t, kMaxLinks> ascending{};
  std::iota(ascending.begin(), ascending.end(), std::uint8_t{0});
  EXPECT_EQ(LinkOrder::by_index().links(), ascending);
}

TEST(LinkOrder, EveryPermutationOfTheDimensionsWithEitherSignIsDrawnByOnePartOfTheLots) {
  std::map<std::array<std::uint8_t, kMaxLinks>, unsigned> times;
  for (unsigned n = 0; n < kOrders; ++n) {
    const auto links = order_number(n).links();
    ++times[links];
    for (unsigned d = 0; d < kMaxDims; ++d) {
      EXPECT_EQ(links[2 * d] / 2, links[2 * d + 1] / 2);
      EXPECT_EQ(links[2 * d] % 2, links[0] % 2);
    }
    auto sorted = links;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, LinkOrder::by_index().links());
  }
  EXPECT_EQ(times.size(), kOrders);
}

TEST(LinkOrder, ARowIsTheOrderOfTheFirstThreeDimensions) {
  const auto first_six = [](const LinkOrder& order) {
    std::vector<std::uint8_t> links;
    for (const std::uint8_t link : order.links())
      if (link < LinkOrder::kRowLinks) links.push_back(link);
    return links;
  };
  std::array<unsigned, LinkOrder::kRows> drawn{};
  for (unsigned n = 0; n < kOrders; ++n) {
    const LinkOrder order = order_number(n);
    ++drawn[order.row()];
    EXPECT_EQ(first_six(order), first_six(LinkOrder::of_row(order.row())));
  }
  for (const unsigned count : drawn) EXPECT_EQ(count, kOrders / LinkOrder::kRows);
}

}  // namespace
}  // namespace toroid
