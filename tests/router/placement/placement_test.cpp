#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "tests/router/placement/placements.hpp"

namespace toroid {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node_counts;
using testing::placed;

std::vector<unsigned> cores_of(const Placement& placement) {
  std::vector<unsigned> cores;
  for (const auto& worker : placement.workers) cores.push_back(worker.core);
  return cores;
}

TEST(Placement, GivesEachSocketACompactHalfOfTheTorus) {
  const Shape shape = Shape::parse("8x4x4");
  const auto placement = placed("pack:2 core:4 pu:2", "8x4x4");
  ASSERT_EQ(placement.workers.size(), 8u);
  for (const auto& worker : placement.workers) {
    EXPECT_EQ(worker.nodes.size(), 16u);
    for (const Rank node : worker.nodes) EXPECT_EQ(shape.coord(node)[0] / 4u, worker.package);
  }
}

TEST(Placement, PutsOneWorkerOnEachCoreWithAllItsHyperthreads) {
  const auto placement = placed("pack:2 core:2 pu:2", "4x4");
  EXPECT_THAT(cores_of(placement), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(placement.workers[0].pus, ElementsAre(0, 1));
  EXPECT_THAT(placement.workers[3].pus, ElementsAre(6, 7));
  EXPECT_EQ(placement.workers[1].package, 0u);
  EXPECT_EQ(placement.workers[2].package, 1u);
  EXPECT_FALSE(placement.oversubscribed);
  EXPECT_EQ(placement.reason, "4 allowed cores");
}

TEST(Placement, GivesASingleCoreTheWholeTorus) {
  const auto placement = placed("core:1 pu:1", "3x3");
  ASSERT_EQ(placement.workers.size(), 1u);
  EXPECT_THAT(placement.workers[0].nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(placement.reason, "1 allowed core");
}

TEST(Placement, UsesNoMoreWorkersThanNodes) {
  EXPECT_THAT(node_counts(placed("pack:4 core:32 pu:2", "5")), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(node_counts(placed("core:1 pu:1", "2", 9)), ElementsAre(1, 1));
  EXPECT_EQ(placed("core:1 pu:1", "2", 9).reason, "one per node");
  EXPECT_EQ(placed("core:8 pu:1", "1x1").reason, "one per node");
}

TEST(Placement, RoundsTheQuotaUpToWorkers) {
  const auto machine = HostTopology::synthetic("core:4 pu:1");
  const auto with_quota = [&](double quota) {
    const auto placement = place(machine, Shape::parse("8"), 0, Binding::none, quota);
    return std::to_string(placement.workers.size()) + ", " + placement.reason;
  };
  EXPECT_EQ(with_quota(0.01), "1, cgroup quota 0.01 CPUs");
  EXPECT_EQ(with_quota(1), "1, cgroup quota 1 CPU");
  EXPECT_EQ(with_quota(1.5), "2, cgroup quota 1.5 CPUs");
  EXPECT_EQ(with_quota(3), "3, cgroup quota 3 CPUs");
  EXPECT_EQ(with_quota(3.1), "4, 4 allowed cores");
  EXPECT_EQ(with_quota(1e300), "4, 4 allowed cores");
}

TEST(Placement, UsesTheRequestedThreadsWhateverTheQuota) {
  const auto machine = HostTopology::synthetic("pack:2 core:4 pu:1");
  const auto placement = place(machine, Shape::parse("8x8"), 3, Binding::core, 1.5);
  EXPECT_THAT(cores_of(placement), ElementsAre(0, 1, 2));
  EXPECT_EQ(placement.reason, "--threads 3");
  EXPECT_FALSE(placement.oversubscribed);
}

TEST(Placement, UsesCoresAgainRoundRobinForMoreWorkersThanCores) {
  const auto placement = placed("pack:1 core:3 pu:2", "4x4", 8);
  EXPECT_TRUE(placement.oversubscribed);
  EXPECT_THAT(cores_of(placement), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2));
  EXPECT_THAT(placement.workers[1].pus, ElementsAre(0, 1));
  EXPECT_EQ(placement.workers[0].nodes.size(), 2u);
}

TEST(Placement, ListsNoProcessorsWithoutBinding) {
  const auto placement =
      place(HostTopology::synthetic("core:2 pu:1"), Shape::parse("4"), 0, Binding::none);
  ASSERT_EQ(placement.workers.size(), 2u);
  for (const auto& worker : placement.workers) EXPECT_THAT(worker.pus, IsEmpty());
}

TEST(Placement, CutsBetweenPackagesEvenIfTheyHaveUnequalNumbersOfWorkers) {
  const auto placement = placed("pack:2 core:4 pu:1", "10x2", 5);
  EXPECT_THAT(node_counts(placement), ElementsAre(4, 4, 4, 4, 4));
  EXPECT_EQ(placement.workers[4].package, 1u);
  EXPECT_THAT(placement.workers[4].nodes, ElementsAre(16, 17, 18, 19));
}

TEST(Placement, KeepsTheWorkersOfANumaNodeTogether) {
  const Shape shape = Shape::parse("8x8");
  for (const auto& worker : placed("pack:1 numa:4 core:2 pu:1", "8x8").workers)
    for (const Rank node : worker.nodes) {
      const Coord at = shape.coord(node);
      EXPECT_EQ(at[0] / 4u * 2u + at[1] / 4u, worker.numa);
    }
}

}  // namespace
}  // namespace toroid
