// Rings under load in the smallest buffers: every run completes; no packet is lost or doubled.
#include <gtest/gtest.h>
#include <array>
#include <cstddef>
#include <functional>

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
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::MachineExchange;
using testing::ReluctantDevice;
using testing::RingMachine;
using testing::Tagged;

const std::vector<const char*> kStressShapes = {"2", "8", "5x2m", "4x4", "3x3x3", "2x2x2x2"};

/// Sends full packets and a short one between every pair.
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

/// Several output queues put more pressure on the FIFOs than a single one.
NodeOptions pressing(const testing::RingCase& c) {
  NodeOptions node = c.node();
  node.settings.tie = TieRule::split;
  node.settings.output_queues = 6;
  return node;
}

void for_each_stress(const std::function<void(const Shape&, const testing::RingCase&)>& visit) {
  const auto cases = testing::ring_cases_beside(kStressShapes.size());
  for (std::size_t s = 0; s < cases.size(); ++s)
    for (const auto& c : cases[s]) {
      SCOPED_TRACE(std::string(kStressShapes[s]) + ' ' + c.text());
      visit(Shape::parse(kStressShapes[s]), c);
    }
}

TEST(RingStress, CompletesInTheSmallestChannels) {
  for_each_stress([](const Shape& shape, const testing::RingCase& c) {
    RingMachine machine(shape, c.threads, pressing(c), testing::routed(c.route),
                        testing::smallest_channels());
    expect_conserved(machine, 4);
  });
}

TEST(RingStress, CompletesInTheSmallestBuffersWithEveryTying) {
  constexpr std::array kTyings = {FifoTying::per_direction, FifoTying::per_dimension,
                                  FifoTying::any};
  const auto cases = testing::ring_cases_beside(2 * kTyings.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const auto& c : cases[i]) {
      SCOPED_TRACE(c.text());
      RingOptions options = testing::routed(c.route);
      options.tying = kTyings[i / 2];
      options.routing.transit_first = i % 2 == 0;
      RingMachine machine(Shape::parse("4x3"), c.threads, pressing(c), options,
                          testing::smallest_buffers());
      expect_conserved(machine, 3);
    }
}

TEST(RingStress, CompletesOnDevicesThatRefuseAQuarterOfAllOperations) {
  for_each_stress([](const Shape& shape, const testing::RingCase& c) {
    const auto reluctant = [&](Device& device) {
      return std::make_unique<ReluctantDevice>(device, 4, c.seed);
    };
    RingMachine machine(shape, c.threads, pressing(c), testing::routed(c.route),
                        testing::smallest_buffers(), reluctant);
    expect_conserved(machine, 3);
  });
}

TEST(RingStress, CompletesOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(60u); ++seed) {
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
    const unsigned threads = 1 + random.below(8);
    const RingOptions ring = testing::routed(testing::kRoutes[random.below(2)]);
    Machine numbers = random.coin() ? testing::smallest_channels() : Machine();
    numbers.both_hints = 1;
    RingMachine machine(Shape::parse(text), threads, node, ring, numbers);
    expect_conserved(machine, 1 + random.below(6));
  }
}

/// Sends far more packets through one channel of a link than its 16-bit counters can distinguish.
/// The buffers have the largest size, so that the workers alternate less often.
TEST(RingStress, CompletesAfterLinkCountersOverflow) {
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
