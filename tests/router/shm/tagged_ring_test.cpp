// Rings whose packets announce their own arrival.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>

#include "hal/packet.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "tests/scale.hpp"

namespace toroid::ring {
namespace {

struct Ring {
  explicit Ring(std::uint32_t slots) {
    memory.capacity = slots;
    memory.allocate();
  }
  TaggedMemory memory;
};

PacketHeader header_of(std::uint32_t number) {
  return PacketHeader(HeaderFields{.destination = number, .hints = {}, .argument = ~number});
}

void send(TaggedSender& sender, std::uint32_t number) {
  std::memcpy(sender.claim().payload.data(), &number, sizeof number);
  sender.commit(header_of(number));
  sender.publish();
}

void expect_next(TaggedReceiver& receiver, std::uint32_t number) {
  const Packet* packet = receiver.front();
  ASSERT_NE(packet, nullptr) << number;
  EXPECT_EQ(packet->header, header_of(number));
  std::uint32_t payload = 0;
  std::memcpy(&payload, packet->payload.data(), sizeof payload);
  EXPECT_EQ(payload, number);
  receiver.pop();
}

TEST(TaggedRing, IsEmptyUntilAPacketIsCommitted) {
  Ring ring(3);
  TaggedSender sender(ring.memory);
  TaggedReceiver receiver(ring.memory);
  EXPECT_EQ(receiver.front(), nullptr);
  sender.claim();
  EXPECT_EQ(receiver.front(), nullptr);
  send(sender, 5);
  expect_next(receiver, 5);
  EXPECT_EQ(receiver.front(), nullptr);
}

TEST(TaggedRing, ReturnsRoomOnlyWhenPublished) {
  Ring ring(2);
  TaggedSender sender(ring.memory);
  TaggedReceiver receiver(ring.memory);
  send(sender, 0);
  send(sender, 1);
  EXPECT_EQ(sender.room(), 0u);
  expect_next(receiver, 0);
  EXPECT_FALSE(sender.refresh());
  receiver.publish();
  EXPECT_TRUE(sender.refresh());
  EXPECT_EQ(sender.room(), 1u);
}

/// Goes round the ring more often than there are tags, so that every tag is reused.
TEST(TaggedRing, TellsNewPacketsFromOldOnesInEveryLap) {
  for (const std::uint32_t slots : {1u, 2u, 3u}) {
    Ring ring(slots);
    TaggedSender sender(ring.memory);
    TaggedReceiver receiver(ring.memory);
    for (std::uint32_t n = 0; n < 5000 * slots; ++n) {
      ASSERT_EQ(receiver.front(), nullptr) << n;
      ASSERT_TRUE(sender.refresh()) << n;
      send(sender, n);
      expect_next(receiver, n);
      receiver.publish();
    }
  }
}

TEST(TaggedRing, KeepsTheOrderBetweenTwoThreads) {
  const auto kPackets = testing::by_set(20'000u, 100'000u);
  Ring ring(5);
  std::thread producer([&] {
    TaggedSender sender(ring.memory);
    for (std::uint32_t n = 0; n < kPackets; ++n) {
      while (sender.room() == 0 && !sender.refresh()) std::this_thread::yield();
      send(sender, n);
    }
  });
  TaggedReceiver receiver(ring.memory);
  for (std::uint32_t n = 0; n < kPackets; ++n) {
    while (receiver.front() == nullptr) std::this_thread::yield();
    expect_next(receiver, n);
    receiver.publish();
  }
  producer.join();
}

}  // namespace
}  // namespace toroid::ring
