#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {
namespace {

const Machine kBgl;

std::uint64_t hottest(const char* shape) {
  const Fraction f = hottest_link_messages(Shape::parse(shape));
  EXPECT_EQ(f.numerator % f.denominator, 0u) << shape;
  EXPECT_EQ(f.rounded_up(), f.numerator / f.denominator);
  return f.rounded_up();
}

TEST(Bounds, MessagesOverTheHottestLinkHaveKnownValues) {
  EXPECT_EQ(hottest("3x3"), 3u);
  EXPECT_EQ(hottest("4x4x4"), 32u);
  EXPECT_EQ(hottest("8x8x8"), 512u);
  EXPECT_EQ(hottest("8x8x16"), 2048u);
  EXPECT_EQ(hottest("64x32x32"), 524288u);
  EXPECT_EQ(hottest("1x1x1"), 0u);
}

TEST(Bounds, AFractionRoundsUp) {
  const Fraction two = hottest_link_messages(Shape::parse("2"));  // half a message each way
  EXPECT_EQ(2 * two.numerator, two.denominator);
  EXPECT_EQ(two.rounded_up(), 1u);
  EXPECT_EQ(two.value(), 0.5);
}

Tick hottest_cycles(const char* shape) {
  return all_to_all_bounds(kBgl, Shape::parse(shape), message_cost(kBgl, 240)).hottest_link;
}

TEST(Bounds, OneFullPacketPerPairTakesTheKnownCycles) {
  EXPECT_EQ(hottest_cycles("8x8x8"), 552960u);
  EXPECT_EQ(hottest_cycles("8mx8mx8m"), 2 * 552960u);
  EXPECT_EQ(hottest_cycles("8x8x16"), 2211840u);
}

TEST(Bounds, OfLinesAndPlanesCountOnlyTheirNodes) {
  const Shape machine = Shape::parse("8x8x16");
  // 8 · 8 / 8 and 128 · 16 / 8 messages of 1080 cycles.
  const auto message = message_cost(kBgl, 240);
  EXPECT_EQ(all_to_all_bounds(kBgl, machine.slice(0, 1), message).hottest_link, 8u * 1080);
  EXPECT_EQ(all_to_all_bounds(kBgl, machine.slice(1, 3), message).hottest_link, 256u * 1080);
}

TEST(Bounds, MessageCostCountsFullPacketsAndARest) {
  const auto check = [](std::uint64_t bytes, std::uint64_t packets, std::uint64_t wire) {
    const MessageCost cost = message_cost(kBgl, bytes);
    EXPECT_EQ(cost.packets, packets) << bytes;
    EXPECT_EQ(cost.wire_bytes, wire) << bytes;
  };
  check(0, 0, 0);
  check(1, 1, 46);
  check(16, 1, 46);
  check(17, 1, 78);
  check(64, 1, 110);
  check(128, 1, 174);
  check(240, 1, 270);
  check(241, 2, 316);
  check(480, 2, 540);
  check(720 + 240, 4, 1080);
}

// On 4x4x4 with 240 bytes per pair, a node sends 63 messages over 6 links and is busy for 350
// cycles for each of 63 packets. The longest path has 6 hops.
TEST(Bounds, InjectionProcessorAndZeroLoadFollowTheirFormulas) {
  const Bounds bounds = all_to_all_bounds(kBgl, Shape::parse("4x4x4"), message_cost(kBgl, 240));
  EXPECT_EQ(bounds.hottest_link, 32u * 1080);
  EXPECT_EQ(bounds.injection, 63u * 270 * 4 / 6);
  EXPECT_EQ(bounds.processor, 63u * (150 + 200));
  EXPECT_EQ(bounds.zero_load, 150u + 6 * 69 + 270 * 4 + 200);
  EXPECT_EQ(bounds.max(), 34560u);
}

// A full packet takes a link 1,080 cycles, a packet of one chunk 184.
TEST(Bounds, OfALoneMessageAreSetByItsBusiestLinkItsInjectionOrItsReception) {
  const auto cycles = [](const Machine& machine, std::uint64_t bytes, unsigned links) {
    return lone_message_cycles(machine, message_cost(machine, bytes), 2, links);
  };
  const Tick ends = 150 + 2 * 69 + 200;
  EXPECT_EQ(cycles(kBgl, 0, 1), 0u);
  EXPECT_EQ(cycles(kBgl, 8, 1), ends + 184);
  EXPECT_EQ(cycles(kBgl, 480, 1), ends + 2 * 1080);
  EXPECT_EQ(cycles(kBgl, 480 + 8, 1), ends + 2 * 1080 + 184);
  EXPECT_EQ(cycles(kBgl, 480 + 8, 2), ends + 1080 + 184);
  EXPECT_EQ(cycles(kBgl, 240 + 8, 2), ends + 1080);  // the short packet has a link of its own
  EXPECT_EQ(cycles(kBgl, 5 * 240, 2), ends + 3 * 1080);
  Machine slow = kBgl;
  slow.inject_cycles = 5000;
  EXPECT_EQ(cycles(slow, 480 + 8, 1), 3 * 5000 + 2 * 69 + 184 + 200u);
  slow.receive_cycles = 9000;
  EXPECT_EQ(cycles(slow, 480 + 8, 1), 5000 + 2 * 69 + 184 + 3 * 9000u);
}

TEST(Bounds, AreZeroIfNothingIsSent) {
  EXPECT_EQ(all_to_all_bounds(kBgl, Shape::parse("4x4x4"), message_cost(kBgl, 0)).max(), 0u);
  EXPECT_EQ(all_to_all_bounds(kBgl, Shape::parse("1x1"), message_cost(kBgl, 240)).max(), 0u);
}

TEST(Bounds, UsableLinksLeadToNeighbours) {
  EXPECT_EQ(usable_links(Shape::parse("4x4x4")), 6u);
  EXPECT_EQ(usable_links(Shape::parse("4x1x4")), 4u);
  EXPECT_EQ(usable_links(Shape::parse("2x2m")), 3u);
  EXPECT_EQ(usable_links(Shape::parse("3m")), 2u);
  EXPECT_EQ(usable_links(Shape::parse("1")), 0u);
}

TEST(Bounds, DiameterIsTheLongestShortestPath) {
  for (const char* text : {"1", "2", "7", "8", "7m", "4x5m", "3x4x5", "2mx2x6m"}) {
    const Shape shape = Shape::parse(text);
    unsigned longest = 0;
    for (Rank a = 0; a < shape.size(); ++a)
      for (Rank b = 0; b < shape.size(); ++b)
        longest = std::max(longest, minimal_hops(shape, shape.coord(a), shape.coord(b)));
    EXPECT_EQ(diameter(shape), longest) << text;
  }
}

}  // namespace
}  // namespace toroid
