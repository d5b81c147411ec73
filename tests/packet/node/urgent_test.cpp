// Packets of high priority: they pass normal ones and travel in the priority channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::on_every_machine;

constexpr HandlerId kNumbered = 50;
constexpr std::uint32_t kNormal = 300;
constexpr std::uint32_t kUrgent = 7;

/// Queues normal packets, then urgent ones, for node 1, which notes the order of their arrival.
Program sends_urgent(Node& node, std::vector<std::uint32_t>& arrived) {
  Counter heard;
  node.on(kNumbered, [&](const Packet& packet) {
    arrived.push_back(packet.header.argument());
    heard.bump();
  });
  if (node.rank() == 0) {
    for (std::uint32_t i = 0; i < kNormal; ++i)
      node.post(1, kNumbered, std::as_bytes(std::span(&i, 1)), i);
    for (std::uint32_t i = 0; i < kUrgent; ++i)
      co_await node.send_urgent(1, kNumbered, i, kNormal + i);
    const std::uint32_t own = 1;
    node.post_urgent(0, kNumbered, std::as_bytes(std::span(&own, 1)), own);
    co_await node.until(heard, 1);
  }
  if (node.rank() == 1) co_await node.until(heard, kNormal + kUrgent);
}

/// Every number once, in any order: urgent packets leave by either of two FIFOs.
void expect_all(const std::vector<std::uint32_t>& arrived) {
  ASSERT_EQ(arrived.size(), kNormal + kUrgent);
  std::vector<bool> seen(arrived.size());
  for (const std::uint32_t number : arrived) {
    EXPECT_FALSE(seen.at(number));
    seen[number] = true;
  }
}

TEST(Urgent, PacketsArriveOnEveryMachineUnderEveryRouting) {
  for (const RoutingRule routing : {RoutingRule::adaptive, RoutingRule::random_order,
                                    RoutingRule::deterministic, RoutingRule::priority})
    for (const TieRule tie : {TieRule::parity, TieRule::both, TieRule::split, TieRule::alternate}) {
      NodeOptions nodes;
      nodes.settings.routing = routing;
      nodes.settings.tie = tie;
      on_every_machine(Shape::parse("4x2"), nodes, [&](EmulatedMachine& machine) {
        std::vector<std::vector<std::uint32_t>> arrived(8);
        machine.run([&](Node& node) { return sends_urgent(node, arrived[node.rank()]); });
        expect_all(arrived[1]);
        EXPECT_EQ(arrived[0], std::vector<std::uint32_t>{1});
      });
    }
}

TEST(Urgent, PacketsPassNormalOnesInThePriorityChannel) {
  std::vector<std::vector<std::uint32_t>> arrived(4);
  testing::on_machine(0, Shape::parse("4"), {}, [&](EmulatedMachine& machine) {
    machine.run([&](Node& node) { return sends_urgent(node, arrived[node.rank()]); });
    std::uint64_t priority = 0;
    for (const LinkCounters& link : machine.counters().links) priority += link.packets[3];
    EXPECT_EQ(priority, kUrgent);
    // FIFOs 6 and 7 of node 0 are those of high priority.
    ASSERT_EQ(machine.counters().fifos.size(), 4u * 8);
    EXPECT_EQ(machine.counters().fifos[6].packets + machine.counters().fifos[7].packets, kUrgent);
  });
  expect_all(arrived[1]);
  EXPECT_LT(arrived[1].back(), kNormal) << "the last packet is a normal one";
  const auto last_urgent = std::ranges::find(arrived[1], kNormal + kUrgent - 1);
  EXPECT_LT(last_urgent - arrived[1].begin(), 64) << "urgent packets pass those in the queue";
}

TEST(Urgent, PacketsAreRefusedWithoutFifosForThem) {
  Machine machine;
  machine.priority_injection_fifos = 0;
  testing::SimMachine sim(Shape::parse("2"), {}, {}, machine);
  try {
    sim.node(0).post_urgent(1, kNumbered, {});
    FAIL() << "expected BadInput";
  } catch (const BadInput& refusal) {
    EXPECT_THAT(refusal.what(), ::testing::HasSubstr("priority_injection_fifos"));
  }
}

}  // namespace
}  // namespace toroid
