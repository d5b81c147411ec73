// One direction of a link: rings with one producer and one consumer each.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/shm/torus/link.hpp"
#include "tests/scale.hpp"

namespace toroid::ring {
namespace {

/// A link with its memory; `slots` is per channel.
struct Link {
  explicit Link(ChannelSlots slots) {
    memory.pushed = &pushed;
    memory.popped = &popped;
    memory.capacity = slots;
    memory.allocate();
  }
  CountWord pushed{};
  CountWord popped{};
  LinkMemory memory;
};

void push(LinkSender& sender, unsigned channel, std::uint64_t number) {
  sender.claim(channel).header = PacketHeader(number, ~number);
}

std::uint64_t pop(LinkReceiver& receiver, unsigned channel) {
  const PacketHeader header = receiver.front(channel).header;
  EXPECT_EQ(header.software_word(), ~header.hardware_word());
  receiver.pop(channel);
  return header.hardware_word();
}

TEST(RingLink, ShowsNothingBeforeItIsPublished) {
  Link link({2, 2, 2, 2});
  LinkSender sender(link.memory);
  LinkReceiver receiver(link.memory);
  push(sender, 1, 7);
  EXPECT_FALSE(receiver.look());
  sender.publish();
  EXPECT_EQ(receiver.waiting(1), 0u);
  EXPECT_TRUE(receiver.look());
  EXPECT_FALSE(receiver.look());
  EXPECT_EQ(receiver.waiting(1), 1u);
  EXPECT_EQ(pop(receiver, 1), 7u);
}

TEST(RingLink, ReturnsRoomOnlyWhenPublished) {
  Link link({1, 0, 3, 0});
  LinkSender sender(link.memory);
  LinkReceiver receiver(link.memory);
  EXPECT_EQ(sender.room(0), 1u);
  EXPECT_EQ(sender.room(1), 0u);
  EXPECT_EQ(sender.room(2), 3u);
  push(sender, 0, 1);
  sender.publish();
  EXPECT_EQ(sender.room(0), 0u);
  EXPECT_FALSE(sender.refresh());
  receiver.look();
  receiver.publish();
  EXPECT_FALSE(sender.refresh());
  pop(receiver, 0);
  EXPECT_FALSE(sender.refresh());
  receiver.publish();
  EXPECT_EQ(sender.room(0), 0u);
  EXPECT_TRUE(sender.refresh());
  EXPECT_EQ(sender.room(0), 1u);
  EXPECT_EQ(sender.room(2), 3u);
}

TEST(RingLink, KeepsChannelsSeparate) {
  Link link({3, 3, 3, 3});
  LinkSender sender(link.memory);
  LinkReceiver receiver(link.memory);
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    for (unsigned i = 0; i < c; ++i) push(sender, c, 10 * c + i);
  sender.publish();
  receiver.look();
  for (unsigned c = 0; c < kVirtualChannels; ++c) {
    EXPECT_EQ(sender.room(c), 3 - c);
    EXPECT_EQ(receiver.waiting(c), c);
    for (unsigned i = 0; i < c; ++i) EXPECT_EQ(pop(receiver, c), 10 * c + i);
  }
}

TEST(RingLink, CopiesHeaderAndPayloadAndNothingBeyond) {
  Packet from;
  Packet to;
  for (unsigned i = 0; i < kPayloadBytes; ++i) from.payload[i] = static_cast<std::byte>(i);
  for (unsigned bytes = 0; bytes <= kPayloadBytes; ++bytes) {
    from.header = PacketHeader(HeaderFields{.hints = {}, .payload_bytes = bytes});
    to.payload.fill(std::byte{0xee});
    copy_packet(from, to);
    EXPECT_EQ(to.header, from.header);
    EXPECT_TRUE(std::equal(to.bytes().begin(), to.bytes().end(), from.payload.begin()));
    EXPECT_EQ(to.bytes().size(), bytes);
  }
}

/// Sends numbers in order through every channel.
void send_numbers(LinkSender& sender, std::uint64_t count) {
  std::array<std::uint64_t, kVirtualChannels> next{};
  Random random(1);
  for (std::uint64_t left = kVirtualChannels * count; left > 0;) {
    const unsigned channel = random.below(kVirtualChannels);
    if (next[channel] < count && (sender.room(channel) > 0 || sender.refresh())) {
      if (sender.room(channel) == 0) continue;
      push(sender, channel, next[channel]++);
      --left;
    } else {
      std::this_thread::yield();
    }
    if (left == 0 || random.below(3) == 0) sender.publish();
  }
}

std::uint64_t receive_numbers(LinkReceiver& receiver, std::uint64_t count) {
  std::array<std::uint64_t, kVirtualChannels> next{};
  std::uint64_t wrong = 0;
  for (std::uint64_t left = kVirtualChannels * count; left > 0;) {
    if (!receiver.look()) std::this_thread::yield();
    for (unsigned c = 0; c < kVirtualChannels; ++c)
      for (; receiver.waiting(c) > 0; --left) wrong += pop(receiver, c) == next[c]++ ? 0 : 1;
    receiver.publish();
  }
  return wrong;
}

/// Returns how many numbers arrived out of order or damaged.
std::uint64_t wrong_numbers(ChannelSlots slots, std::uint64_t count) {
  Link link(slots);
  std::uint64_t wrong = ~std::uint64_t{0};
  {
    std::jthread receiving([&] {
      LinkReceiver receiver(link.memory);
      wrong = receive_numbers(receiver, count);
    });
    LinkSender sender(link.memory);
    send_numbers(sender, count);
  }
  return wrong;
}

TEST(RingLink, CarriesPacketsBetweenThreadsInOrder) {
  EXPECT_EQ(wrong_numbers({1, 2, 3, 7}, testing::by_set(500u, 2000u)), 0u);
}

TEST(RingLink, SurvivesCounterOverflowBetweenThreads) {
  EXPECT_EQ(wrong_numbers({900, 700, 511, 1024}, 70'000), 0u);
}

}  // namespace
}  // namespace toroid::ring
