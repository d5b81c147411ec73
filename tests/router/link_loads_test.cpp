// Compares the model's link counters with loads that are computed by enumerating all messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/counters.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "tests/hal/link_loads.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::SimMachine;

FabricCounters all_to_all(const Shape& shape, NodeOptions options, std::uint64_t bytes) {
  SimMachine machine(shape, options);
  MachineExchange(machine, bytes).run();
  return machine.counters();
}

constexpr NodeOptions deterministic(TieRule tie) {
  return {.settings = {.routing = RoutingRule::deterministic, .tie = tie}};
}

TEST(LinkLoads, DeterministicRoutingMatchesEnumerationLinkByLink) {
  for (const char* text : {"2", "5", "8", "6m", "3x3", "4x6", "2x3x4", "4mx3x2m", "2x2x2x3"})
    for (const auto tie : {TieRule::parity, TieRule::plus, TieRule::minus, TieRule::balanced}) {
      const Shape shape = Shape::parse(text);
      const auto expected = testing::loads_with_rule(shape, tie);
      const FabricCounters counters = all_to_all(shape, deterministic(tie), 240);
      ASSERT_EQ(counters.links.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(counters.links[i].total_packets(), expected[i]) << text << " link " << i;
        ASSERT_EQ(counters.links[i].wire_bytes, 270 * expected[i]) << text << " link " << i;
      }
    }
}

std::uint64_t hottest(const FabricCounters& counters) {
  std::uint64_t most = 0;
  for (const LinkCounters& link : counters.links) most = std::max(most, link.total_packets());
  return most;
}

TEST(LinkLoads, HottestLinksOfKnownToriCarryTheExpectedMessages) {
  EXPECT_EQ(hottest(all_to_all(Shape::parse("3x3"), deterministic(TieRule::parity), 16)), 3u);
  EXPECT_EQ(hottest(all_to_all(Shape::parse("4x4x4"), deterministic(TieRule::parity), 16)), 32u);
  EXPECT_EQ(hottest(all_to_all(Shape::parse("8x8x8"), deterministic(TieRule::parity), 16)), 512u);
}

TEST(LinkLoads, LongMessagesLoadEachLinkWithAllTheirPackets) {
  const Shape shape = Shape::parse("4x3");
  const auto expected = testing::loads_with_rule(shape, TieRule::parity);
  const auto counters = all_to_all(shape, deterministic(TieRule::parity), 2 * 240 + 16);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(counters.links[i].total_packets(), 3 * expected[i]);
    EXPECT_EQ(counters.links[i].wire_bytes, (2 * 270 + 46) * expected[i]);
  }
}

TEST(LinkLoads, AdaptiveRoutingKeepsTheSumOverEachDimension) {
  const Shape shape = Shape::parse("4x4x3");
  const auto expected = testing::loads_with_rule(shape, TieRule::parity);
  const auto counters = all_to_all(shape, {.settings = {.tie = TieRule::parity}}, 240);
  std::vector<std::uint64_t> counted(shape.links());
  std::vector<std::uint64_t> enumerated(shape.links());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    counted[i % shape.links()] += counters.links[i].total_packets();
    enumerated[i % shape.links()] += expected[i];
  }
  EXPECT_EQ(counted, enumerated);
}

std::array<std::uint64_t, kVirtualChannels> per_channel(const FabricCounters& counters) {
  std::array<std::uint64_t, kVirtualChannels> sums{};
  for (const LinkCounters& link : counters.links)
    for (unsigned c = 0; c < kVirtualChannels; ++c) sums[c] += link.packets[c];
  return sums;
}

TEST(VirtualChannels, DeterministicPacketsStayOnTheBubbleChannel) {
  const auto counters = all_to_all(Shape::parse("4x4"), deterministic(TieRule::parity), 240);
  EXPECT_EQ(per_channel(counters), (std::array<std::uint64_t, 4>{0, 0, counters.packet_hops, 0}));
}

TEST(VirtualChannels, AdaptivePacketsUseBothDynamicChannelsAndNeverThePriorityChannel) {
  const auto sums = per_channel(all_to_all(Shape::parse("4x4x4"), {}, 960));
  EXPECT_GT(sums[0], 0u);
  EXPECT_GT(sums[1], 0u);
  EXPECT_EQ(sums[3], 0u);
}

}  // namespace
}  // namespace toroid
