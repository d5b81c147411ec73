// Rings under load in the smallest buffers: every run completes and no packet is lost or doubled.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/reluctant_device.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::MachineExchange;
using testing::ReluctantDevice;
using testing::RingMachine;
using testing::Tagged;

const std::vector<const char*> kStressShapes = {"2", "8", "5x2m", "4x4", "3x3x3", "2x2x2x2"};

/// Full packets and a short one for every pair.
void expect_conserved(EmulatedMachine& machine, std::uint32_t packets) {
  MachineExchange exchange(machine, [&](Node& n) { return std::make_unique<Tagged>(n, packets); });
  ASSERT_NO_THROW(exchange.run());
  for (Rank r = 0; r < machine.size(); ++r)
    ASSERT_TRUE(dynamic_cast<Tagged&>(exchange.messages(r)).each_peer_once()) << "node " << r;
  const std::uint64_t sent = std::uint64_t{machine.size()} * (machine.size() - 1) * packets;
  EXPECT_TRUE(machine.finished());
  EXPECT_EQ(machine.counters().packets, sent);
  EXPECT_EQ(machine.counters().delivered, sent);
}

/// Several output queues press harder on the FIFOs than one.
NodeOptions pressing(const testing::RingCase& c) {
  NodeOptions node = c.node();
  node.settings.tie = TieRule::split;
  node.settings.output_queues = 6;
  return node;
}

TEST(RingStress, CompletesInTheSmallestChannels) {
  for (const char* text : kStressShapes)
    for (const auto& c : testing::ring_cases()) {
      SCOPED_TRACE(std::string(text) + ' ' + c.text());
      RingMachine machine(Shape::parse(text), c.threads, pressing(c), testing::routed(c.route),
                          testing::smallest_channels());
      expect_conserved(machine, 4);
    }
}

TEST(RingStress, CompletesInTheSmallestBuffersOfAllWithEveryTying) {
  for (const auto tying : {FifoTying::per_direction, FifoTying::per_dimension, FifoTying::any})
    for (const bool transit_first : {true, false})
      for (const auto& c : testing::ring_cases()) {
        SCOPED_TRACE(c.text());
        RingOptions options = testing::routed(c.route);
        options.tying = tying;
        options.routing.transit_first = transit_first;
        RingMachine machine(Shape::parse("4x3"), c.threads, pressing(c), options,
                            testing::smallest_buffers());
        expect_conserved(machine, 3);
      }
}

TEST(RingStress, CompletesOnDevicesThatRefuseAQuarterOfAllOperations) {
  for (const char* text : kStressShapes)
    for (const auto& c : testing::ring_cases()) {
      SCOPED_TRACE(std::string(text) + ' ' + c.text());
      const auto reluctant = [&](Device& device) {
        return std::make_unique<ReluctantDevice>(device, 4, c.seed);
      };
      RingMachine machine(Shape::parse(text), c.threads, pressing(c), testing::routed(c.route),
                          testing::smallest_buffers(), reluctant);
      expect_conserved(machine, 3);
    }
}

TEST(RingStress, CompletesManyTimesOver) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const NodeOptions node{
        .seed = seed,
        .settings = {.order = static_cast<OrderRule>(random.below(kOrderRuleNames.size())),
                     .output_queues = 1 + random.below(8),
                     .queue_capacity = 1 + random.below(20),
                     .routing = testing::kRoutings[random.below(2)],
                     .tie = static_cast<TieRule>(random.below(kTieRuleNames.size()))}};
    const char* text =
        kStressShapes[random.below(static_cast<std::uint32_t>(kStressShapes.size()))];
    RingMachine machine(Shape::parse(text), 1 + random.below(8), node,
                        testing::routed(testing::kRoutes[random.below(2)]),
                        random.coin() ? testing::smallest_channels() : Machine());
    expect_conserved(machine, 1 + random.below(6));
  }
}

/// Far more packets in one channel of one link than its 16-bit counts can tell. The room is the
/// largest, so that the workers need not take turns often.
TEST(RingStress, CompletesAfterTheCountsOfALinkHaveComeRound) {
  Machine machine;
  machine.bubble_vc_chunks = machine.injection_fifo_chunks = machine.reception_fifo_chunks = 8192;
  for (const RingRoute route : testing::kRoutes) {
    RingMachine rings(Shape::parse("2"), 2, {.settings = {.routing = RoutingRule::deterministic}},
                      testing::routed(route), machine);
    expect_conserved(rings, 100'000);
  }
}

}  // namespace
}  // namespace toroid
