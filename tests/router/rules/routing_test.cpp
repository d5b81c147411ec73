// Tests, one by one, the rules by which a packet gets onto a link.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "router/rules/routing.hpp"

namespace toroid {
namespace {

constexpr Direction kXPlus = Direction::plus(0);
constexpr Direction kYMinus = Direction::minus(1);
constexpr unsigned kReserve = 8;

DirectionSet both() {
  DirectionSet set;
  set.add(kXPlus);
  set.add(kYMinus);
  return set;
}

RoutedPacket dynamic_packet(unsigned chunks = 8) {
  return {.directions = both(), .dynamic = both(), .chunks = chunks, .high_priority = false};
}
RoutedPacket deterministic_packet(unsigned chunks = 8) {
  return {.directions = both(), .dynamic = {}, .chunks = chunks, .high_priority = false};
}

const Input kFifo = Input::fifo(4, 0);

std::optional<VirtualChannel> chosen(const RoutedPacket& packet, Input from, Direction out,
                                     const Tokens& tokens, bool rule = true) {
  return ChannelRule(kReserve, rule).choose(packet, from, out, tokens);
}

TEST(ChannelRule, ADynamicPacketJoinsTheShorterQueue) {
  EXPECT_EQ(chosen(dynamic_packet(), kFifo, kYMinus, {9, 8, 32, 32}), VirtualChannel::dynamic0);
  EXPECT_EQ(chosen(dynamic_packet(), kFifo, kYMinus, {8, 9, 32, 32}), VirtualChannel::dynamic1);
  EXPECT_EQ(chosen(dynamic_packet(), kFifo, kYMinus, {8, 8, 32, 32}), VirtualChannel::dynamic0);
}

TEST(ChannelRule, ADynamicPacketNeedsTokensForAllOfIt) {
  EXPECT_EQ(chosen(dynamic_packet(8), kFifo, kYMinus, {7, 7, 32, 32}), std::nullopt);
  EXPECT_EQ(chosen(dynamic_packet(7), kFifo, kYMinus, {7, 6, 32, 32}), VirtualChannel::dynamic0);
}

TEST(ChannelRule, ADynamicPacketEscapesInItsFirstDirectionOnly) {
  EXPECT_EQ(chosen(dynamic_packet(), kFifo, kXPlus, {0, 0, 32, 32}), VirtualChannel::bubble);
  EXPECT_EQ(chosen(dynamic_packet(), kFifo, kYMinus, {0, 0, 32, 32}), std::nullopt);
}

TEST(ChannelRule, EnteringARingNeedsRoomForTwoPackets) {
  const Input turning = Input::channel(kYMinus, VirtualChannel::bubble);
  const Input changing = Input::channel(kXPlus, VirtualChannel::dynamic0);
  for (const Input from : {kFifo, turning, changing}) {
    EXPECT_EQ(chosen(deterministic_packet(), from, kXPlus, {32, 32, 15, 32}), std::nullopt);
    EXPECT_EQ(chosen(deterministic_packet(), from, kXPlus, {0, 0, 16, 0}), VirtualChannel::bubble);
    EXPECT_EQ(chosen(deterministic_packet(), from, kXPlus, {0, 0, 8, 0}, false),
              VirtualChannel::bubble);
  }
}

TEST(ChannelRule, GoingStraightOnNeedsRoomForThePacketOnly) {
  const Input straight = Input::channel(kXPlus, VirtualChannel::bubble);
  EXPECT_EQ(chosen(deterministic_packet(), straight, kXPlus, {0, 0, 8, 0}), VirtualChannel::bubble);
  EXPECT_EQ(chosen(deterministic_packet(), straight, kXPlus, {0, 0, 7, 0}), std::nullopt);
  EXPECT_EQ(chosen(dynamic_packet(), straight, kXPlus, {0, 0, 8, 0}), VirtualChannel::bubble);
}

TEST(ChannelRule, PriorityPacketsHaveTheirOwnBubbleChannel) {
  RoutedPacket packet = deterministic_packet();
  packet.high_priority = true;
  EXPECT_EQ(chosen(packet, kFifo, kXPlus, {32, 32, 32, 15}), std::nullopt);
  EXPECT_EQ(chosen(packet, kFifo, kXPlus, {0, 0, 0, 16}), VirtualChannel::priority);
  EXPECT_EQ(chosen(packet, Input::channel(kXPlus, VirtualChannel::priority), kXPlus, {0, 0, 0, 8}),
            VirtualChannel::priority);
  EXPECT_EQ(chosen(packet, Input::channel(kXPlus, VirtualChannel::bubble), kXPlus, {0, 0, 0, 8}),
            std::nullopt);
}

/// Y before X.
constexpr DimensionOrder kYFirst = 2;

TEST(ChannelRule, APacketWithAnOrderTakesDynamicChannelsInItsFirstDimensionAndEscapesInX) {
  RoutedPacket packet = dynamic_packet();
  packet.dynamic = dynamic_directions(packet.directions, true, kYFirst, 2);
  EXPECT_EQ(allowed_directions(packet.directions, packet.dynamic), both());
  EXPECT_EQ(chosen(packet, kFifo, kYMinus, {32, 32, 32, 32}), VirtualChannel::dynamic0);
  EXPECT_EQ(chosen(packet, kFifo, kYMinus, {0, 0, 32, 32}), std::nullopt);
  EXPECT_EQ(chosen(packet, kFifo, kXPlus, {32, 32, 32, 32}), VirtualChannel::bubble);
}

TEST(DynamicDirections, AreThoseOfTheFirstUnfinishedDimensionInTheOrder) {
  DirectionSet y_only;
  y_only.add(kYMinus);
  DirectionSet x_only;
  x_only.add(kXPlus);
  EXPECT_EQ(dynamic_directions(both(), true, kYFirst, 2), y_only);
  EXPECT_EQ(dynamic_directions(x_only, true, kYFirst, 2), x_only);
  EXPECT_EQ(dynamic_directions(both(), true, 1, 2), x_only);
  EXPECT_EQ(dynamic_directions(both(), true, 0, 2), both());
  EXPECT_TRUE(dynamic_directions(both(), false, 0, 2).empty());
  EXPECT_TRUE(dynamic_directions({}, true, kYFirst, 2).empty());
}

TEST(AllowedDirections, AreAllForDynamicAndTheFirstForDeterministicPackets) {
  EXPECT_EQ(allowed_directions(both(), both()), both());
  DirectionSet first;
  first.add(kXPlus);
  EXPECT_EQ(allowed_directions(both(), {}), first);
  EXPECT_TRUE(allowed_directions({}, {}).empty());
}

TEST(Input, NamesEveryChannelAndFifoOnce) {
  std::uint64_t seen = 0;
  for (std::uint8_t l = 0; l < 6; ++l)
    for (unsigned c = 0; c < kVirtualChannels; ++c) {
      const Input input = Input::channel({l}, static_cast<VirtualChannel>(c));
      EXPECT_EQ(input.travelling(), Direction{l});
      EXPECT_EQ(input.channel(), static_cast<VirtualChannel>(c));
      EXPECT_FALSE(input.is_fifo(6));
      EXPECT_EQ(seen & input.bit(), 0u);
      seen |= input.bit();
    }
  for (unsigned f = 0; f < 8; ++f) {
    const Input input = Input::fifo(6, f);
    EXPECT_TRUE(input.is_fifo(6));
    EXPECT_EQ(seen & input.bit(), 0u);
    seen |= input.bit();
  }
  EXPECT_EQ(seen, 0xffffffffull);
}

}  // namespace
}  // namespace toroid
