#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/bisection.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "tests/hal/shapes.hpp"
#include "tests/router/placement/placements.hpp"

namespace toroid {
namespace {

void expect_exact_and_balanced(const Shape& shape, const Placement& placement) {
  const auto owner = testing::owners(shape, placement);
  EXPECT_EQ(std::count(owner.begin(), owner.end(), -1), 0);
  const auto counts = testing::node_counts(placement);
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  EXPECT_GE(*least, 1u);
  EXPECT_LE(*most - *least, 1u);
  for (const auto& worker : placement.workers)
    EXPECT_TRUE(std::is_sorted(worker.nodes.begin(), worker.nodes.end()));
  EXPECT_EQ(crossing_links(shape, placement.workers), testing::crossing(shape, owner));
}

TEST(PlacementOfEverySmallTorus, GivesEachNodeToOneWorkerAndBalancesThem) {
  const std::vector<HostTopology> machines = {HostTopology::synthetic("core:1 pu:1"),
                                              HostTopology::synthetic("pack:2 core:3 pu:2"),
                                              HostTopology::synthetic("pack:3 numa:2 core:2 pu:1"),
                                              HostTopology::synthetic("pack:5 core:1 pu:1")};
  for (unsigned dims = 1; dims <= 3; ++dims)
    for (const Shape& shape : testing::all_shapes(dims, dims == 3 ? 4 : 6))
      for (unsigned threads = 1; threads <= 9; ++threads)
        for (const HostTopology& machine : machines) {
          SCOPED_TRACE(
              fmt::format("{} on {} of {} cores", shape.text(), threads, machine.cores().size()));
          const auto placement = place(machine, shape, threads, Binding::none);
          ASSERT_EQ(placement.workers.size(), std::min<std::size_t>(threads, shape.size()));
          expect_exact_and_balanced(shape, placement);
        }
}

TEST(PlacementOfEverySmallTorus, IsCompleteInSixDimensions) {
  const Shape shape = Shape::parse("2x3mx2x3x2mx3");
  const HostTopology machine = HostTopology::synthetic("pack:2 core:7 pu:1");
  for (unsigned threads = 1; threads <= 216; threads += 5)
    expect_exact_and_balanced(shape, place(machine, shape, threads, Binding::none));
}

/// The fewest crossing links over all bisections of a torus with up to 16 nodes.
std::size_t best_bisection(const Shape& shape) {
  const auto links = testing::links_of(shape);
  std::size_t best = links.size();
  for (unsigned half = 0; half < 1u << shape.size(); ++half) {
    if (static_cast<unsigned>(std::popcount(half)) != shape.size() / 2) continue;
    std::size_t crossing = 0;
    for (const auto& [a, b] : links) crossing += ((half >> a ^ half >> b) & 1u) != 0;
    best = std::min(best, crossing);
  }
  return best;
}

TEST(PlacementOfEverySmallTorus, OnTwoWorkersIsTheBestBisection) {
  for (const char* text : {"2",     "7",      "8m",      "2x2",   "3x3", "3x4",  "4x3",   "4x4",
                           "4x4m",  "4mx4m",  "2x6",     "6x2m",  "3x5", "5x3m", "2x2x2", "2x2x3",
                           "2x2x4", "4x2mx2", "2x2x2x2", "1x4x4", "13",  "2x8",  "8x2"}) {
    const Shape shape = Shape::parse(text);
    const auto placement = testing::placed("core:2 pu:1", text);
    EXPECT_EQ(crossing_links(shape, placement.workers), best_bisection(shape)) << text;
  }
}

}  // namespace
}  // namespace toroid
