// What the functions that divide an array refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/partitions.hpp"
#include "hal/shape.hpp"
#include "tests/fft/plan/plan_check.hpp"

namespace toroid::fft {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

constexpr Index kArray = {4, 6, 1, 1, 1, 1, 2};
constexpr Index kGrid = {2, 3, 1, 1, 1, 1, 1};

TEST(Partitions, RefuseGridsWithoutBlocksOrThatCutTheBatch) {
  for (const auto& [axis, extent] : {std::pair{0, 0}, {1, -1}, {6, 2}}) {
    Index grid = kGrid;
    grid[static_cast<unsigned>(axis)] = extent;
    EXPECT_THAT(refusal([&] { block_parts(kArray, grid); }),
                HasSubstr("expected 1 or more along each axis, and 1 along the batch"));
  }
}

TEST(Partitions, RefuseArraysWithoutElementsOrTooLarge) {
  for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{-4}}) {
    Index array = kArray;
    array[1] = extent;
    EXPECT_THAT(refusal([&] { block_parts(array, kGrid); }), HasSubstr("extents of 1 or more"));
    EXPECT_THAT(refusal([&] { line_parts(array, kCOrder, 2); }), HasSubstr("extents of 1 or more"));
  }
  Index array = kArray;
  array[1] = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal([&] { line_parts(array, lines_order(1), 2); }), HasSubstr("is too large"));
}

TEST(Partitions, RefuseOrdersThatDoNotHaveEveryAxisOnce) {
  constexpr AxisOrder kTwice = {0, 0, 1, 2, 3, 4, 5};
  constexpr AxisOrder kBeyond = {0, 1, 2, 3, 4, 5, 7};
  for (const AxisOrder& order : {kTwice, kBeyond}) {
    EXPECT_THAT(refusal([&] { block_parts(kArray, kGrid, order); }),
                HasSubstr("of axes; expected each of 0 to 6 once"));
    EXPECT_THAT(refusal([&] { line_parts(kArray, order, 2); }), HasSubstr("each of 0 to 6 once"));
  }
}

TEST(Partitions, RefuseLinesThatDoNotExist) {
  EXPECT_EQ(refusal([] { lines_order(6); }), "lines along axis 6; expected 0 to 5");
  EXPECT_THAT(refusal([] {
                line_parts(kArray, {0, 1, 2, 3, 4, 5, kBatchAxis}, 2);
              }),
              HasSubstr("lines along the batch axis"));
  EXPECT_EQ(refusal([] { line_parts(kArray, kCOrder, 0); }),
            "an array cut into 0 parts; expected 1 or more");
}

TEST(Partitions, RefuseNodesOutOfRangeOrTwice) {
  const Distribution parts = line_parts(kArray, kCOrder, 3);
  const auto on = [&](const std::vector<Rank>& nodes) {
    return refusal([&] { on_nodes(parts, nodes, 4); });
  };
  EXPECT_EQ(on({3, 0, 1}), "nothing was refused");
  EXPECT_EQ(on({3, 4, 1}), "part 1 is assigned to node 4; expected a node below 4");
  EXPECT_EQ(on({3, 0, 3}), "parts 0 and 2 are assigned to node 3; expected distinct nodes");
}

TEST(Split, HasNoOverflowForLongAxesAndManyParts) {
  const Split split{(std::int64_t{1} << 56) - 3, 1 << 24};
  EXPECT_EQ(split.end((1 << 24) - 1), split.n);
  EXPECT_EQ(split.begin(1), std::int64_t{(std::int64_t{1} << 32) - 1});
  for (std::int64_t n = 0; n < 40; ++n)
    for (std::int64_t part = 0; part < 7; ++part)
      EXPECT_EQ((Split{n, 7}.begin(part)), part * n / 7);
}

}  // namespace
}  // namespace toroid::fft
