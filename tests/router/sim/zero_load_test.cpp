// One packet on an empty machine takes exactly inject + hops · hop latency + wire cycles.
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;

Program send_one(Node& node, Rank from, Rank to, std::size_t bytes) {
  const std::vector<std::byte> payload(bytes);
  if (node.rank() == from) node.post(to, kHandler, payload);
  co_return;
}

/// The time when the handler of the only packet has run, including the processor's receive cycles.
Tick latency(const Shape& shape, const Machine& machine, RoutingRule routing, Rank from, Rank to,
             std::size_t bytes) {
  SimMachine sim(shape, {.settings = {.routing = routing}}, {}, machine);
  Tick heard = 0;
  sim.node(to).on(kHandler, [&](const Packet&) { heard = sim.node(to).now(); });
  sim.run([&](Node& node) { return send_one(node, from, to, bytes); });
  EXPECT_EQ(sim.counters().delivered, 1u);
  EXPECT_EQ(sim.counters().packet_hops, minimal_hops(shape, shape.coord(from), shape.coord(to)));
  return heard;
}

constexpr unsigned kSizes[] = {0, 1, 16, 17, 64, 128, 200, 240};

/// The landing set takes two of the sizes, different ones each turn.
std::vector<unsigned> sizes_for(unsigned turn) {
  std::vector<unsigned> sizes;
  for (std::size_t i = 0; i < std::size(kSizes); ++i)
    if (testing::is_thorough() || i % 4 == turn % 4) sizes.push_back(kSizes[i]);
  return sizes;
}

TEST(ZeroLoad, MatchesTheFormulaAtEveryDistanceAndSize) {
  const Machine bgl;
  for (const char* text : {"8", "8m", "5x4", "3x4mx5", "2x2x2x2x3"}) {
    const Shape shape = Shape::parse(text);
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      for (Rank to = 1; to < shape.size(); ++to)
        for (const unsigned bytes : sizes_for(to + static_cast<unsigned>(routing))) {
          const unsigned wire_bytes = (16 + bytes + 31) / 32 * 32 + 14;
          const unsigned hops = minimal_hops(shape, shape.coord(0), shape.coord(to));
          const Tick delivered = 150 + 69 * hops + 4 * wire_bytes;
          ASSERT_EQ(latency(shape, bgl, routing, 0, to, bytes), delivered + 200)
              << text << " to " << to << ", " << bytes << " bytes";
        }
  }
}

TEST(ZeroLoad, FollowsTheMachinesParameters) {
  Machine machine;
  machine.inject_cycles = 1000;
  machine.receive_cycles = 7;
  machine.hop_latency_cycles = 3001;  // longer than a packet
  machine.wire_overhead_bytes = 0;
  machine.link_bits_per_cycle = 3;
  const Shape shape = Shape::parse("9x2");
  const Tick wire = (256 * 8 + 2) / 3;
  EXPECT_EQ(latency(shape, machine, RoutingRule::adaptive, 1, shape.size() - 2, 240),
            1000 + 2 * 3001 + wire + 7);
}

TEST(ZeroLoad, TwoPacketsToDifferentNeighboursWaitForTheProcessorOnly) {
  const Shape shape = Shape::parse("5");
  SimMachine sim(shape);
  std::vector<Tick> heard(5);
  for (const Rank to : {1u, 4u})
    sim.node(to).on(kHandler, [&, to](const Packet&) { heard[to] = sim.node(to).now(); });
  sim.node(0).post(1, kHandler, {});
  sim.node(0).post(4, kHandler, {});
  sim.run([](Node&) { return Program(); });
  EXPECT_EQ(heard[1], 150u + 69 + 184 + 200);
  EXPECT_EQ(heard[4], 2 * 150u + 69 + 184 + 200);
}

TEST(ZeroLoad, TwoPacketsOverOneLinkFollowEachOtherAtItsRate) {
  const Shape shape = Shape::parse("8m");
  SimMachine sim(shape, {.settings = {.routing = RoutingRule::deterministic}});
  std::vector<Tick> heard;
  sim.node(3).on(kHandler, [&](const Packet&) { heard.push_back(sim.node(3).now()); });
  const std::vector<std::byte> full(kPayloadBytes);
  sim.node(0).post(3, kHandler, full);
  sim.node(0).post(3, kHandler, full);
  sim.run([](Node&) { return Program(); });
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0], 150u + 3 * 69 + 1080 + 200);
  EXPECT_EQ(heard[1], heard[0] + 1080);
}

}  // namespace
}  // namespace toroid
