// Several ranks per node on rings: every pair, on both routes.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::node_ranks {
namespace {

constexpr HandlerId kHandler = kFirstUserHandler;
constexpr unsigned kRounds = 5;

/// What a rank has heard from each other: a sum that depends on the order of nothing.
struct Heard {
  explicit Heard(Rank ranks) : sums(ranks) {}
  std::vector<std::uint64_t> sums;
  Counter count;
  bool operator==(const Heard& other) const { return sums == other.sums; }
};

using Words = std::array<std::uint64_t, 30>;  // a full packet

Words words(Rank from, Rank to, unsigned round) {
  Words made;
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = (std::uint64_t{from} << 40) + (std::uint64_t{to} << 20) + round * 100 + i;
  return made;
}

Program tell_all(Node& node, Heard& heard) {
  node.on(kHandler, [&](const Packet& packet) {
    const auto got = packet.as<Words>();
    const auto from = static_cast<Rank>(got[0] >> 40);
    EXPECT_EQ(got, words(from, node.rank(), packet.header.argument()));
    heard.sums.at(from) += std::uint64_t{1} << 8 * packet.header.argument();
    heard.count.bump();
  });
  for (unsigned round = 0; round < kRounds; ++round)
    for (Rank step = 1; step < node.size(); ++step) {
      const Rank to = (node.rank() + step) % node.size();
      const Words made = words(node.rank(), to, round);
      co_await node.send(to, kHandler, made, round);
    }
  co_await node.until(heard.count, std::uint64_t{kRounds} * (node.size() - 1));
}

std::vector<Heard> every_pair(Fabric& fabric) {
  Runner runner(fabric);
  std::vector<Heard> heard(fabric.shape().size(), Heard(fabric.shape().size()));
  for (Rank r = 0; r < heard.size(); ++r) runner.node(r).run(tell_all(runner.node(r), heard[r]));
  runner.run();
  const FabricCounters& counters = fabric.counters();
  const std::uint64_t ranks = fabric.shape().size();
  EXPECT_EQ(counters.packets, kRounds * ranks * (ranks - 1));
  EXPECT_EQ(counters.delivered, counters.packets);
  EXPECT_EQ(counters.nodes.size(), ranks);
  for (const NodeTotals& rank : counters.nodes) {
    EXPECT_EQ(rank.sent_packets, kRounds * (ranks - 1));
    EXPECT_EQ(rank.received_packets, kRounds * (ranks - 1));
  }
  return heard;
}

TEST(SharedNode, EveryPairOfRanksExchangesTheDataOfTheModel) {
  for (const char* torus : {"1x2t", "2x2x2t", "3x2x4t", "4mx2x2t"}) {
    const Shape shape = Shape::parse(torus);
    const auto modelled = every_pair(*make_sim_fabric(shape, Machine{}));
    for (const RingRoute route : testing::kRoutes)
      for (const unsigned workers : {1u, 2u, 5u}) {
        SCOPED_TRACE(std::string(torus) + " " + std::to_string(workers));
        EXPECT_EQ(every_pair(*testing::ring_fabric(shape, workers, testing::routed(route))),
                  modelled);
      }
  }
}

TEST(SharedNode, LinksCarryOnlyWhatGoesFromNodeToNode) {
  const auto fabric =
      testing::ring_fabric(Shape::parse("2x4t"), 2, testing::routed(RingRoute::torus));
  (void)every_pair(*fabric);
  EXPECT_EQ(fabric->counters().packet_hops, kRounds * 2u * 4 * 4);
  EXPECT_EQ(fabric->counters().links.size(), 2u * 2);
}

/// The worker of a node has all of its ranks, however many workers there are.
TEST(SharedNode, RanksOfANodeHaveOneWorker) {
  const Shape shape = Shape::parse("3x3x4t");
  for (unsigned workers = 1; workers < 40; ++workers)
    for (const WorkerPlace& worker : testing::workers(shape, workers).workers) {
      ASSERT_EQ(worker.nodes.size() % 4, 0u);
      for (std::size_t i = 0; i < worker.nodes.size(); ++i)
        EXPECT_EQ(shape.ranks().node(worker.nodes[i]), shape.ranks().node(worker.nodes[i - i % 4]));
    }
}

TEST(SharedNode, PlacementThatSplitsANodeIsRefused) {
  const Shape shape = Shape::parse("2x2t");
  Placement placement = testing::workers(shape, 2);
  ASSERT_EQ(placement.workers.size(), 2u);
  placement.workers[0].nodes = {0, 2};
  placement.workers[1].nodes = {1, 3};
  EXPECT_THROW(
      (void)make_ring_fabric(shape, Machine{}, placement, testing::routed(RingRoute::torus)),
      BadInput);
}

TEST(SharedNode, RunThatStallsNamesTheRankThatWaits) {
  RingOptions options = testing::routed(RingRoute::torus);
  options.stall = std::chrono::milliseconds(200);
  const auto fabric = testing::ring_fabric(Shape::parse("2x2t"), 1, options);
  Runner runner(*fabric);
  Heard heard(4);
  runner.node(3).run(tell_all(runner.node(3), heard));
  for (Rank r = 0; r < 3; ++r) runner.node(r).on(kHandler, [](const Packet&) {});
  try {
    runner.run();
    FAIL();
  } catch (const RunFailed& failure) {
    EXPECT_NE(std::string(failure.what()).find("rank (1,1) waits"), std::string::npos)
        << failure.what();
  }
}

}  // namespace
}  // namespace toroid::node_ranks
