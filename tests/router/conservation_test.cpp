// Every packet that is sent is delivered exactly once, to its destination.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hal/counters.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::SimMachine;
using testing::sum_of_minimal_hops;
using testing::Tagged;

void expect_conserved(const Shape& shape, std::uint32_t packets, NodeOptions node,
                      SimOptions sim = {}, const Machine& machine = {}) {
  SimMachine nodes(shape, node, std::move(sim), machine);
  MachineExchange exchange(nodes, [&](Node& n) { return std::make_unique<Tagged>(n, packets); });
  ASSERT_NO_THROW(exchange.run()) << shape.text();
  for (Rank r = 0; r < shape.size(); ++r)
    ASSERT_TRUE(dynamic_cast<Tagged&>(exchange.messages(r)).each_peer_once())
        << shape.text() << ' ' << shape.coord_text(r);
  const FabricCounters& counters = nodes.counters();
  const std::uint64_t sent = std::uint64_t{shape.size()} * (shape.size() - 1) * packets;
  ASSERT_EQ(counters.packets, sent) << shape.text();
  ASSERT_EQ(counters.delivered, sent) << shape.text();
  ASSERT_EQ(counters.refused, 0u) << shape.text();
  ASSERT_EQ(counters.packet_hops, packets * sum_of_minimal_hops(shape)) << shape.text();
  std::uint64_t over_links = 0;
  for (const LinkCounters& link : counters.links) over_links += link.total_packets();
  ASSERT_EQ(over_links, counters.packet_hops) << shape.text();
  std::uint64_t through_fifos = 0;
  for (const FifoCounters& fifo : counters.fifos) through_fifos += fifo.packets;
  ASSERT_EQ(through_fifos, sent) << shape.text();
}

const std::vector<const char*> kShapes = {
    "1",     "2",     "7",      "8",     "8m",    "3x3",     "4x4",       "5x2m",
    "2x3x4", "4x4x4", "3x4mx2", "1x6x1", "4mx4m", "2x2x2x2", "2x3x2x1x2", "2x2x2x2x2x2"};

TEST(Conservation, HoldsForEveryRoutingAndTieRule) {
  Machine machine;
  machine.both_hints = 1;
  for (const char* text : kShapes)
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      for (unsigned tie = 0; tie < kTieRuleNames.size(); ++tie)
        expect_conserved(Shape::parse(text), 1,
                         {.settings = {.routing = routing, .tie = static_cast<TieRule>(tie)}}, {},
                         machine);
}

TEST(Conservation, HoldsForManySeedsOrdersAndMessageLengths) {
  Random random(77);
  for (std::uint64_t seed = 1; seed <= testing::scaled(40u); ++seed) {
    const auto order = static_cast<OrderRule>(random.below(kOrderRuleNames.size()));
    const auto routing = static_cast<RoutingRule>(random.below(kRoutingRuleNames.size()));
    expect_conserved(Shape::parse(kShapes[random.below(14)]), 1 + random.below(4),
                     {.seed = seed,
                      .settings = {.order = order,
                                   .output_queues = 1 + random.below(8),
                                   .queue_capacity = 1 + random.below(20),
                                   .routing = routing}});
  }
}

TEST(Conservation, HoldsForEveryTyingOfQueuesToFifosAndNumberOfFifos) {
  for (const char* text : {"4x4", "3x3x3"})
    for (const unsigned fifos : {1u, 2u, 3u, 4u, 6u, 8u, 14u})
      for (const auto tying :
           {FifoTying::per_direction, FifoTying::per_dimension, FifoTying::any}) {
        Machine machine;
        machine.injection_fifos = fifos;
        expect_conserved(Shape::parse(text), 2, {}, {.routing = {}, .tying = tying, .progress = {}},
                         machine);
      }
}

TEST(Conservation, HoldsWithoutPriorityToTransit) {
  for (const char* text : {"8", "4x4", "4x4x4"})
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order}) {
      SimOptions own_in_turn;
      own_in_turn.routing.transit_first = false;
      expect_conserved(Shape::parse(text), 3, {.settings = {.routing = routing}}, own_in_turn);
    }
}

TEST(Conservation, HoldsWithTheSmallestBuffersAndASlowProcessor) {
  Machine machine;
  machine.dynamic_vc_chunks = 8;
  machine.bubble_vc_chunks = machine.priority_vc_chunks = 16;
  machine.ring_slots = 1;
  machine.injection_fifo_chunks = 8;
  machine.reception_fifo_chunks = 8;
  machine.reception_fifos = 1;
  machine.receive_cycles = 3000;
  for (const char* text : {"5", "4x4", "3x3x3"})
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      expect_conserved(Shape::parse(text), 3, {.settings = {.routing = routing}}, {}, machine);
}

}  // namespace
}  // namespace toroid
