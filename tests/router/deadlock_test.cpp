// Tiny buffers: without the bubble rule, rings of buffers fill up and nothing moves any more; with
// the rule every run completes.
#include <gtest/gtest.h>
#include <array>

#include <cstdint>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/rules/buffer_cycle.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::SimMachine;

/// The error message of an all-to-all run; empty if it completed.
std::string report(const Shape& shape, RoutingRule routing, std::uint64_t bytes, std::uint64_t seed,
                   bool bubble_rule, bool transit_first = true) {
  SimOptions options;
  options.routing.bubble_rule = bubble_rule;
  options.routing.transit_first = transit_first;
  // Several output queues put more pressure on the FIFOs than a single one.
  const NodeOptions node{.seed = seed, .settings = {.output_queues = 6, .routing = routing}};
  SimMachine machine(shape, node, options, testing::smallest_channels());
  MachineExchange exchange(machine, bytes);
  try {
    exchange.run();
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  const std::uint64_t messages = std::uint64_t{shape.size()} * (shape.size() - 1);
  EXPECT_EQ(machine.counters().delivered, messages * ((bytes + 239) / 240)) << shape.text();
  return {};
}

struct Case {
  const char* shape;
  RoutingRule routing;
  std::uint64_t bytes;
  bool transit_first = true;
};
/// Packets that may take several links hardly ever fill a ring if packets in transit go first.
const std::vector<Case> kDeadlocks = {{"8x8", RoutingRule::deterministic, 240},
                                      {"8x8", RoutingRule::deterministic, 960},
                                      {"8x8", RoutingRule::adaptive, 960, false},
                                      {"5x5x5", RoutingRule::deterministic, 240},
                                      {"5x5x5", RoutingRule::adaptive, 960, false}};

std::string report(const Case& c, std::uint64_t seed, bool bubble_rule) {
  return report(Shape::parse(c.shape), c.routing, c.bytes, seed, bubble_rule, c.transit_first);
}

constexpr std::array kRoutings = {RoutingRule::adaptive, RoutingRule::deterministic,
                                  RoutingRule::random_order};

TEST(Deadlock, HappensWithoutTheBubbleRule) {
  for (const Case& c : kDeadlocks)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::string text = report(c, seed, false);
      EXPECT_NE(text.find("deadlock"), std::string::npos) << c.shape << " seed " << seed;
    }
}

TEST(Deadlock, IsReportedAsAConnectedCycleOfBuffers) {
  for (const Case& c : kDeadlocks)
    testing::expect_cycle(Shape::parse(c.shape), report(c, 1, false));
}

TEST(Deadlock, NeverHappensWithTheBubbleRule) {
  for (const Case& c : kDeadlocks)
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_EQ(report(c, seed, true), "") << c.shape << " seed " << seed;
}

TEST(Deadlock, NeverHappensWithTheBubbleRuleOnManyShapesAndSeeds) {
  constexpr std::array kShapes = {"2",   "3",    "8",     "9",     "4x4",     "8x2",
                                  "6x5", "8x8m", "3x3x3", "4x4x4", "2x2x2x2", "3x2x2x2x2"};
  for (const auto& row : testing::combinations({kShapes.size(), kRoutings.size(), 5})) {
    const std::uint64_t seed = 1 + row[2];
    const char* const text = kShapes[row[0]];
    EXPECT_EQ(report(Shape::parse(text), kRoutings[row[1]], 240 * seed, seed, true), "")
        << text << " seed " << seed;
  }
}

TEST(Deadlock, NeverHappensOnAMeshEvenWithoutTheRule) {
  for (const char* text : {"8m", "8mx8m", "5mx5mx5m"})
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      EXPECT_EQ(report(Shape::parse(text), routing, 960, 1, false), "") << text;
}

/// Everything is instantaneous except the links, so buffers stay full of long and short packets.
Machine instant_processors() {
  Machine machine;
  machine.inject_cycles = machine.receive_cycles = 0;
  machine.hop_latency_cycles = 1;
  machine.wire_overhead_bytes = 0;
  machine.link_bits_per_cycle = 0.7;
  return machine;
}

TEST(Deadlock, NeverHappensWithPacketsOfMixedLengths) {
  struct Mixed {
    const char* shape;
    std::uint64_t bytes;
    TieRule tie;
    std::uint64_t seed;
    std::uint32_t per_visit;
  };
  // In an earlier version short packets held only tokens for their own length. That broke the
  // bubbles into pieces, and these rings filled up.
  for (const Mixed& m :
       {Mixed{"4x4", 721, TieRule::plus, 7, 1}, Mixed{"4x1x3x4m", 241, TieRule::minus, 49, 2}}) {
    SimOptions options;
    options.routing.transit_first = false;
    options.tying = FifoTying::any;
    const NodeOptions node{
        .seed = m.seed,
        .settings = {
            .packets_per_visit = m.per_visit, .routing = RoutingRule::deterministic, .tie = m.tie}};
    SimMachine machine(Shape::parse(m.shape), node, options, instant_processors());
    MachineExchange exchange(machine, m.bytes);
    EXPECT_NO_THROW(exchange.run()) << m.shape;
  }
}

TEST(Deadlock, NeverHappensWithMixedLengthsInTinyBuffers) {
  constexpr std::array kShapes = {"8", "4x4", "8x8", "3x3x3", "4x4x4"};
  constexpr std::array<std::uint64_t, 4> kBytes = {241, 500, 721, 1000};
  for (const auto& row : testing::combinations({kShapes.size(), kRoutings.size(), kBytes.size()})) {
    const char* const shape = kShapes[row[0]];
    EXPECT_EQ(report(Shape::parse(shape), kRoutings[row[1]], kBytes[row[2]], 1, true), "") << shape;
  }
}

}  // namespace
}  // namespace toroid
