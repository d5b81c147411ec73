// Rings and model have equal counters, because with minimal routing the numbers of packets and hops
// are fixed.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "hal/counters.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/counter_sums.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::MachineExchange;
using testing::over_links;
using testing::RingMachine;
using testing::SimMachine;
using testing::Tagged;
using testing::through_fifos;

FabricCounters counted(EmulatedMachine& machine, std::uint32_t packets) {
  MachineExchange exchange(machine, [&](Node& n) { return std::make_unique<Tagged>(n, packets); });
  exchange.run();
  for (Rank r = 0; r < machine.size(); ++r)
    EXPECT_TRUE(dynamic_cast<Tagged&>(exchange.messages(r)).each_peer_once());
  return machine.counters();
}

void expect_equal_sums(const FabricCounters& rings, const FabricCounters& model) {
  EXPECT_EQ(rings.packets, model.packets);
  EXPECT_EQ(rings.delivered, model.delivered);
  EXPECT_EQ(rings.refused, 0u);
  EXPECT_EQ(through_fifos(rings), rings.packets);
  EXPECT_EQ(rings.links.size(), model.links.size());
  EXPECT_EQ(rings.events, 0u);
}

/// The model has neither workers nor a route, and seeds do not change sums. So one run of the model
/// serves all cases of a routing.
FabricCounters sums_of_the_model(const Shape& shape, RoutingRule routing) {
  SimMachine sim(shape, {.settings = {.routing = routing}});
  return counted(sim, 2);
}

/// Calls check(counters, model, shape) for every shape under the cases of a route; a failure names
/// its case.
template <typename Check>
void for_cases(RingRoute route, const Check& check) {
  const auto cases = testing::ring_cases_beside(testing::kRingShapes.size());
  for (std::size_t s = 0; s < cases.size(); ++s) {
    const Shape shape = Shape::parse(testing::kRingShapes[s]);
    std::map<RoutingRule, FabricCounters> model;
    for (auto c : cases[s]) {
      if (testing::is_thorough() && c.route != route) continue;
      c.route = route;
      SCOPED_TRACE(shape.text() + ' ' + c.text());
      if (!model.contains(c.routing)) model[c.routing] = sums_of_the_model(shape, c.routing);
      RingMachine rings(shape, c.threads, c.node(), testing::routed(route));
      check(counted(rings, 2), model[c.routing], shape);
    }
  }
}

TEST(RingCountersAgreement, PacketsAndHopsOnTheTorusRouteEqualTheModels) {
  for_cases(RingRoute::torus,
            [](const FabricCounters& counters, const FabricCounters& model, const Shape& shape) {
              expect_equal_sums(counters, model);
              EXPECT_EQ(counters.fifos.size(), model.fifos.size());
              EXPECT_EQ(counters.packet_hops, model.packet_hops);
              EXPECT_EQ(counters.packet_hops, 2 * testing::sum_of_minimal_hops(shape));
              EXPECT_EQ(over_links(counters), counters.packet_hops);
            });
}

TEST(RingCountersAgreement, PacketsOnTheDirectRouteCrossNoLinks) {
  for_cases(RingRoute::direct,
            [](const FabricCounters& counters, const FabricCounters& model, const Shape&) {
              expect_equal_sums(counters, model);
              EXPECT_EQ(over_links(counters), 0u);
            });
}

TEST(RingCountersAgreement, DeterministicRoutingLoadsEveryLinkAsOnTheModel) {
  constexpr std::array kTies = {TieRule::parity, TieRule::plus, TieRule::minus, TieRule::balanced};
  for (const auto& row : testing::combinations(
           {testing::kRingShapes.size(), kTies.size(), testing::kWorkers.size()})) {
    const char* const text = testing::kRingShapes[row[0]];
    const Shape shape = Shape::parse(text);
    const NodeOptions node{
        .settings = {.routing = RoutingRule::deterministic, .tie = kTies[row[1]]}};
    SimMachine sim(shape, node);
    const FabricCounters model = counted(sim, 3);
    RingMachine rings(shape, testing::kWorkers[row[2]], node);
    const FabricCounters counters = counted(rings, 3);
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      ASSERT_EQ(counters.links[i].packets, model.links[i].packets) << text << " link " << i;
      ASSERT_EQ(counters.links[i].wire_bytes, model.links[i].wire_bytes) << text;
    }
  }
}

/// Number of packets in each direction, summed over the nodes.
std::vector<std::uint64_t> per_direction(const FabricCounters& counters, const Shape& shape) {
  std::vector<std::uint64_t> sums(shape.links());
  for (std::size_t i = 0; i < counters.links.size(); ++i)
    sums[i % shape.links()] += counters.links[i].total_packets();
  return sums;
}

TEST(RingCountersAgreement, AdaptiveRoutingKeepsTheSumOverEachDirection) {
  for (const char* text : {"7", "5x2m", "3x3", "2x3x4", "4x4x4", "2x2x2x2"}) {
    const Shape shape = Shape::parse(text);
    const NodeOptions by_parity{.settings = {.tie = TieRule::parity}};
    SimMachine sim(shape, by_parity);
    const auto model = per_direction(counted(sim, 3), shape);
    for (const unsigned threads : testing::kWorkers) {
      RingMachine rings(shape, threads, by_parity);
      EXPECT_EQ(per_direction(counted(rings, 3), shape), model) << text << ' ' << threads;
    }
  }
}

TEST(RingCountersAgreement, AdaptivePacketsNeverUseThePriorityChannel) {
  for (const unsigned threads : testing::kWorkers) {
    RingMachine rings(Shape::parse("4x4"), threads, {}, {}, testing::smallest_buffers());
    std::array<std::uint64_t, kVirtualChannels> sums{};
    for (const LinkCounters& link : counted(rings, 4).links)
      for (unsigned c = 0; c < kVirtualChannels; ++c) sums[c] += link.packets[c];
    EXPECT_GT(sums[0], 0u);
    EXPECT_GT(sums[1], 0u);
    EXPECT_EQ(sums[3], 0u);
  }
}

}  // namespace
}  // namespace toroid
