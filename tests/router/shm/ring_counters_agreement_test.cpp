// What rings count is what the model counts: minimal routing leaves no choice in how many.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/counter_sums.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

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

TEST(RingCountersAgreement, PacketsAndHopsOfTheTorusAreTheModels) {
  for (const char* text : testing::kRingShapes)
    for (const auto& c : testing::ring_cases()) {
      if (c.route != RingRoute::torus) continue;
      SCOPED_TRACE(std::string(text) + ' ' + c.text());
      const Shape shape = Shape::parse(text);
      SimMachine sim(shape, c.node());
      RingMachine rings(shape, c.threads, c.node());
      const FabricCounters model = counted(sim, 2);
      const FabricCounters counters = counted(rings, 2);
      expect_equal_sums(counters, model);
      EXPECT_EQ(counters.fifos.size(), model.fifos.size());
      EXPECT_EQ(counters.packet_hops, model.packet_hops);
      EXPECT_EQ(counters.packet_hops, 2 * testing::sum_of_minimal_hops(shape));
      EXPECT_EQ(over_links(counters), counters.packet_hops);
    }
}

TEST(RingCountersAgreement, APacketOfTheSwitchCrossesNoLink) {
  for (const char* text : testing::kRingShapes)
    for (const auto& c : testing::ring_cases()) {
      if (c.route != RingRoute::direct) continue;
      SCOPED_TRACE(std::string(text) + ' ' + c.text());
      SimMachine sim(Shape::parse(text), c.node());
      RingMachine rings(Shape::parse(text), c.threads, c.node(), testing::routed(c.route));
      const FabricCounters counters = counted(rings, 2);
      expect_equal_sums(counters, counted(sim, 2));
      EXPECT_EQ(over_links(counters), 0u);
    }
}

TEST(RingCountersAgreement, DeterministicRoutingLoadsEveryLinkAsOnTheModel) {
  for (const char* text : testing::kRingShapes)
    for (const auto tie : {TieRule::parity, TieRule::plus, TieRule::minus, TieRule::balanced})
      for (const unsigned threads : testing::kWorkers) {
        const Shape shape = Shape::parse(text);
        const NodeOptions node{.settings = {.routing = RoutingRule::deterministic, .tie = tie}};
        SimMachine sim(shape, node);
        RingMachine rings(shape, threads, node);
        const FabricCounters model = counted(sim, 3);
        const FabricCounters counters = counted(rings, 3);
        for (std::size_t i = 0; i < model.links.size(); ++i) {
          ASSERT_EQ(counters.links[i].packets, model.links[i].packets) << text << " link " << i;
          ASSERT_EQ(counters.links[i].wire_bytes, model.links[i].wire_bytes) << text;
        }
      }
}

/// [direction], summed over the nodes.
std::vector<std::uint64_t> per_direction(const FabricCounters& counters, const Shape& shape) {
  std::vector<std::uint64_t> sums(shape.links());
  for (std::size_t i = 0; i < counters.links.size(); ++i)
    sums[i % shape.links()] += counters.links[i].total_packets();
  return sums;
}

TEST(RingCountersAgreement, AdaptiveRoutingKeepsTheSumOverEachDirection) {
  for (const char* text : {"7", "5x2m", "3x3", "2x3x4", "4x4x4", "2x2x2x2"})
    for (const unsigned threads : testing::kWorkers) {
      const Shape shape = Shape::parse(text);
      SimMachine sim(shape);
      RingMachine rings(shape, threads);
      EXPECT_EQ(per_direction(counted(rings, 3), shape), per_direction(counted(sim, 3), shape))
          << text << ' ' << threads;
    }
}

TEST(RingCountersAgreement, PacketsTakeTheChannelsOfTheirKind) {
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
