#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"

namespace toroid {
namespace {

TEST(DimensionOrder, EachNumberIsADifferentPermutation) {
  for (unsigned dims = 1; dims <= kMaxDims; ++dims) {
    std::set<DimensionSequence> seen;
    for (unsigned order = 1; order <= dimension_orders(dims); ++order) {
      DimensionSequence sequence = dimension_sequence(static_cast<DimensionOrder>(order), dims);
      EXPECT_TRUE(seen.insert(sequence).second) << dims << ' ' << order;
      std::sort(sequence.begin(), sequence.begin() + dims);
      for (unsigned d = 0; d < dims; ++d) EXPECT_EQ(sequence[d], d);
    }
  }
}

TEST(DimensionOrder, CoversAllPermutationsUpToFiveDimensions) {
  unsigned factorial = 1;
  for (unsigned dims = 1; dims <= 5; ++dims) EXPECT_EQ(dimension_orders(dims), factorial *= dims);
  EXPECT_EQ(dimension_orders(6), 240u);
}

TEST(DimensionOrder, EverySequenceOfThreeComesFirstEquallyOften) {
  for (unsigned dims = 3; dims <= kMaxDims; ++dims) {
    std::map<std::vector<unsigned>, unsigned> count;
    for (unsigned order = 1; order <= dimension_orders(dims); ++order) {
      const auto s = dimension_sequence(static_cast<DimensionOrder>(order), dims);
      ++count[{s[0], s[1], s[2]}];
    }
    EXPECT_EQ(count.size(), dims * (dims - 1) * (dims - 2));
    for (const auto& [sequence, times] : count)
      EXPECT_EQ(times * count.size(), dimension_orders(dims));
  }
}

TEST(DimensionOrder, FirstInOrderIsTheFirstRemainingDimension) {
  for (unsigned dims = 1; dims <= kMaxDims; ++dims)
    for (unsigned order = 1; order <= dimension_orders(dims); ++order)
      for (unsigned left = 0; left < 1u << dims; ++left) {
        unsigned bits = 0;
        for (unsigned d = 0; d < dims; ++d) bits |= (left >> d & 1u) << (2 * d + d % 2);
        const auto o = static_cast<DimensionOrder>(order);
        const auto s = dimension_sequence(o, dims);
        const auto* const first =
            std::find_if(s.begin(), s.begin() + dims, [&](unsigned d) { return left >> d & 1u; });
        const DirectionSet found =
            first_in_order(DirectionSet(static_cast<std::uint16_t>(bits)), o, dims);
        if (left == 0) {
          EXPECT_TRUE(found.empty());
        } else {
          EXPECT_EQ(found.size(), 1u);
          EXPECT_EQ(found.first().dim(), *first);
        }
      }
}

}  // namespace
}  // namespace toroid
