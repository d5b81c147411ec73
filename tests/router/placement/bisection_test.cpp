#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/bisection.hpp"
#include "tests/router/placement/placements.hpp"

namespace toroid {
namespace {

std::string machine_of(unsigned cores) {
  return fmt::format("core:{} pu:1", cores);
}

TEST(Bisection, CutsNoMoreLinksOfACubeThanBlocksOfRanks) {
  for (const char* text :
       {"3x3x3", "4x4x4", "5x5x5", "6x6x6", "8x8x8", "4mx4mx4m", "8mx8mx8m", "8x8", "16x16"})
    for (const unsigned workers : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u}) {
      const Shape shape = Shape::parse(text);
      const auto placement = testing::placed(machine_of(workers), text);
      EXPECT_LE(crossing_links(shape, placement.workers),
                testing::crossing(shape, testing::rank_blocks(shape, workers)))
          << text << " on " << workers;
    }
}

TEST(Bisection, GivesEightWorkersAnOctantEach) {
  const Shape shape = Shape::parse("8x8x8");
  const auto placement = testing::placed(machine_of(8), "8x8x8");
  for (const auto& worker : placement.workers) {
    const BoundingBox box = bounding_box(shape, worker.nodes);
    for (unsigned d = 0; d < 3; ++d) EXPECT_EQ(box.length(d), 4u);
  }
  EXPECT_EQ(crossing_links(shape, placement.workers), 8u * 6 * 16 / 2);
}

TEST(Bisection, CutsAMeshRatherThanARingOfTheSameExtent) {
  const Shape shape = Shape::parse("8x8m");
  EXPECT_EQ(crossing_links(shape, testing::placed(machine_of(2), "8x8m").workers), 8u);
  EXPECT_EQ(crossing_links(shape, testing::placed(machine_of(4), "8x8m").workers), 24u);
}

TEST(Bisection, CutsALineIntoPieces) {
  const auto placement = testing::placed(machine_of(3), "7");
  EXPECT_THAT(placement.workers[0].nodes, ::testing::ElementsAre(0, 1));
  EXPECT_THAT(placement.workers[1].nodes, ::testing::ElementsAre(2, 3));
  EXPECT_THAT(placement.workers[2].nodes, ::testing::ElementsAre(4, 5, 6));
}

TEST(Bisection, BoundingBoxIsTheSmallest) {
  const Shape shape = Shape::parse("4x5x6");
  const std::vector<Rank> nodes = {shape.rank({{1, 2, 3}}), shape.rank({{2, 2, 1}})};
  const BoundingBox box = bounding_box(shape, nodes);
  EXPECT_EQ(box.low, (Coord{{1, 2, 1}}));
  EXPECT_EQ(box.high, (Coord{{2, 2, 3}}));
}

TEST(Bisection, BalancesALargeTorusToo) {
  for (const auto count : testing::node_counts(testing::placed(machine_of(24), "32x32x32")))
    EXPECT_TRUE(count == 1365 || count == 1366) << count;
}

}  // namespace
}  // namespace toroid
