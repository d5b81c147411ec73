// Ties that stay open until a packet is injected: packets go by both sides of a ring in equal
// numbers, and no header has both hints of a dimension unless the machine can carry it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::kHandler;

constexpr unsigned kPackets = 40;

/// Node 0 sends packets to the farthest node.
Program send_far(Node& node, Rank far, unsigned& with_both) {
  Counter heard;
  node.on(kHandler, [&](const Packet& packet) {
    with_both += both_hints(packet.header.hints()) ? 1 : 0;
    heard.bump();
  });
  for (unsigned i = 0; node.rank() == 0 && i < kPackets; ++i) co_await node.send(far, kHandler, i);
  if (node.rank() == far) co_await node.until(heard, kPackets);
}

struct Crossed {
  std::array<std::uint64_t, kMaxLinks> links{};  ///< [direction]: packets over all links
  unsigned with_both = 0;                        ///< packets that arrived with both hints
};

Crossed send_far_on(std::unique_ptr<Fabric> fabric, const PolicySettings& settings) {
  const Shape shape = fabric->shape();
  Coord half;
  for (unsigned d = 0; d < shape.dims(); ++d)
    half[d] = static_cast<std::uint8_t>(shape.extent(d) / 2);
  EmulatedMachine machine(std::move(fabric), {.settings = settings});
  Crossed crossed;
  machine.run([&](Node& node) { return send_far(node, shape.rank(half), crossed.with_both); });
  for (std::size_t l = 0; l < machine.counters().links.size(); ++l)
    crossed.links[l % shape.links()] += machine.counters().links[l].total_packets();
  return crossed;
}

void expect_even(const Crossed& crossed, const Shape& shape, std::uint64_t off) {
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const std::uint64_t half = shape.extent(d) / 2;
    const std::uint64_t plus = crossed.links[2 * d];
    EXPECT_EQ(plus + crossed.links[2 * d + 1], kPackets * half) << shape.text();
    EXPECT_GE(plus, (kPackets / 2 - off) * half) << shape.text();
    EXPECT_LE(plus, (kPackets / 2 + off) * half) << shape.text();
  }
}

TEST(OpenTies, PacketsOfAMessageGoByBothSidesOfARingInEqualNumbers) {
  for (const char* text : {"2", "4", "6x2", "4x4", "2x2x2", "4x2x6", "2x2x2x2"})
    for (const FifoTying tying :
         {FifoTying::per_direction, FifoTying::per_dimension, FifoTying::any})
      for (const RoutingRule routing :
           {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order}) {
        const Shape shape = Shape::parse(text);
        SimOptions sim;
        sim.tying = tying;
        const Crossed crossed =
            send_far_on(make_sim_fabric(shape, {}, sim), {.tying = tying, .routing = routing});
        expect_even(crossed, shape, 4);
        EXPECT_EQ(crossed.with_both, 0u);
      }
}

/// On 4x4, node 0 sends 84 times a packet to node 2, which is tied, and one to node 1, which is
/// not, each into empty FIFOs.
Program send_tied_and_other(Node& node) {
  Counter heard;
  node.on(kHandler, [&](const Packet&) { heard.bump(); });
  for (std::uint32_t i = 0; node.rank() == 0 && i < 84; ++i) {
    for (Rank to = 2; to > 0; --to) {
      co_await node.send(to, kHandler, i);
      co_await node.compute(10'000);
    }
  }
  if (node.rank() == 1 || node.rank() == 2) co_await node.until(heard, 84);
}

TEST(OpenTies, PacketsBetweenThatHaveNoTieDoNotDecide) {
  EmulatedMachine machine(make_sim_fabric(Shape::parse("4x4"), {}, {}), {});
  machine.run([](Node& node) { return send_tied_and_other(node); });
  const auto first_hop = [&](Direction direction) {
    return machine.counters().links[direction.index].total_packets();
  };
  EXPECT_EQ(first_hop(Direction::plus(1)) + first_hop(Direction::minus(1)), 84u + 84u);
  EXPECT_NEAR(static_cast<double>(first_hop(Direction::minus(1))), 42, 4);
}

TEST(OpenTies, PacketsGoByBothSidesOnTheTorusRouteOfRingsToo) {
  for (const char* text : {"2", "4x4", "2x2x2"}) {
    const Shape shape = Shape::parse(text);
    const Crossed crossed = send_far_on(
        testing::ring_fabric(shape, 2, testing::routed(RingRoute::torus)), PolicySettings());
    expect_even(crossed, shape, 8);
    EXPECT_EQ(crossed.with_both, 0u);
  }
}

TEST(OpenTies, HeadersHaveBothHintsOnlyOnMachinesThatCarryThem) {
  const Shape shape = Shape::parse("4x4");
  Machine machine;
  EXPECT_THAT([&] { send_far_on(make_sim_fabric(shape, machine, {}), {.tie = TieRule::both}); },
              ::testing::ThrowsMessage<BadInput>(::testing::HasSubstr(
                  "a header of machine 'bgl' cannot have both hints of a dimension")));
  machine.both_hints = 1;
  EXPECT_EQ(send_far_on(make_sim_fabric(shape, machine, {}), {.tie = TieRule::both}).with_both,
            kPackets);
  // Deterministic packets choose when they are injected.
  EXPECT_EQ(send_far_on(make_sim_fabric(shape, machine, {}),
                        {.routing = RoutingRule::deterministic, .tie = TieRule::both})
                .with_both,
            0u);
}

TEST(OpenTies, TheMachineChoosesTheRuleOfPoliciesThatNameNone) {
  Machine machine;
  EXPECT_EQ(tie_rule_of({}, machine), TieRule::alternate);
  machine.tie_choice = static_cast<unsigned>(TieRule::parity);
  EXPECT_EQ(tie_rule_of({}, machine), TieRule::parity);
  EXPECT_EQ(tie_rule_of({.tie = TieRule::minus}, machine), TieRule::minus);
  machine.tie_choice = static_cast<unsigned>(TieRule::both);
  EXPECT_THAT([&] { check_consistent(machine); },
              ::testing::ThrowsMessage<BadInput>(::testing::HasSubstr("set both_hints = 1")));
}

}  // namespace
}  // namespace toroid
