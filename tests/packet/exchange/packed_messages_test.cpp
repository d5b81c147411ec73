// Packed parts of messages have the same bytes as their packets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/exchange/traffic_messages.hpp"
#include "packet/node/node.hpp"
#include "packet/traffic/patterns.hpp"
#include "tests/packet/exchange/plans.hpp"

namespace toroid {
namespace {

/// The packets of a part as gather() writes them, one after another.
std::vector<std::byte> gathered(const Messages& messages, const MessagePart& part) {
  std::vector<std::byte> bytes;
  std::array<std::byte, kPayloadBytes> payload;
  for (std::uint32_t n = part.first; n < part.first + part.packets; ++n) {
    const unsigned length = messages.run(part.member, n, 1).bytes;
    (void)messages.gather(part.member, n, std::span(payload).first(length));
    bytes.insert(bytes.end(), payload.begin(), payload.begin() + length);
  }
  return bytes;
}

/// The packed part, in memory of exactly its length, so that a sanitizer finds any access beyond
/// it.
std::vector<std::byte> packed(const Messages& messages, const MessagePart& part) {
  std::vector<std::byte> bytes(std::size_t{part.packets} * kPayloadBytes);
  bytes.resize(messages.pack_part(part, bytes));
  return {bytes.begin(), bytes.end()};
}

/// Moves the whole message in parts of `packets` packets.
void move_in_parts(const Messages& from, Rank sender, Messages& to, Rank receiver,
                   std::uint32_t packets) {
  const std::uint32_t all = from.packets_to_put(receiver);
  for (std::uint32_t first = 0; first < all; first += packets) {
    const std::uint32_t count = std::min(packets, all - first);
    const std::vector<std::byte> bytes = packed(from, {receiver, first, count});
    ASSERT_EQ(bytes, gathered(from, {receiver, first, count}));
    ASSERT_TRUE(to.unpack_part({sender, first, count}, bytes));
  }
}

/// Checks that a part of another length, or beyond the message, is refused.
void expect_refusals(const Messages& from, Rank sender, Messages& to, Rank receiver) {
  const std::uint32_t all = from.packets_to_put(receiver);
  const std::vector<std::byte> bytes = packed(from, {receiver, 0, all});
  const auto some = [&](std::size_t count) { return std::span(bytes).first(count); };
  EXPECT_FALSE(to.unpack_part({sender, 0, all}, some(bytes.size() - 1)));
  EXPECT_FALSE(to.unpack_part({sender, 0, all + 1}, bytes));
  EXPECT_FALSE(to.unpack_part({sender, 1, all}, bytes));
  EXPECT_FALSE(to.unpack_part({sender, ~std::uint32_t{0}, 2}, some(1)));
  EXPECT_FALSE(to.unpack_part({sender, all, 1}, some(1)));
  EXPECT_FALSE(to.unpack_part({sender, 0, 0}, {}));
}

TEST(PackedMessages, PartIsInAMessageThatHasAllItsPackets) {
  for (std::uint32_t message = 0; message < 5; ++message)
    for (std::uint32_t first = 0; first < 6; ++first)
      for (std::uint32_t packets = 0; packets < 6; ++packets) {
        bool has_each = packets > 0;
        for (std::uint32_t n = first; n < first + packets; ++n) has_each &= n < message;
        EXPECT_EQ((MessagePart{0, first, packets}.is_in(message)), has_each)
            << packets << " from " << first << " of " << message;
      }
  EXPECT_FALSE((MessagePart{0, ~std::uint32_t{0}, 2}.is_in(5)));  // first + packets overflows to 1
}

TEST(PackedMessages, BlockPartsEqualTheirPackets) {
  const Shape shape = Shape::parse("3");
  for (const std::uint64_t bytes : {1u, 239u, 240u, 241u, 1000u, 7919u})
    for (const std::uint32_t packets : {1u, 2u, 5u, 1000u}) {
      BlockMessages from(shape, 0, bytes);
      BlockMessages to(shape, 2, bytes);
      for (std::size_t i = 0; i < bytes; ++i) from.to(2)[i] = static_cast<std::byte>(i * 7 % 251);
      move_in_parts(from, 0, to, 2, packets);
      EXPECT_TRUE(std::ranges::equal(to.from(0), from.to(2)));
      expect_refusals(from, 0, to, 2);
      EXPECT_TRUE(std::ranges::all_of(to.from(1), [](std::byte b) { return b == std::byte{0}; }));
    }
}

TEST(PackedMessages, TrafficPartsEqualTheirPackets) {
  const Shape shape = Shape::parse("2x3");
  for (const char* pattern : {"all-to-all", "neighbour"})
    for (const std::uint64_t bytes : {1u, 241u, 3001u}) {
      const auto traffic = make_traffic(pattern, shape, bytes, 1);
      const NodeOptions options{.settings = {.packets_per_visit = 1}};
      const auto plan = testing::plan_for(options, shape, shape);
      TrafficMessages to(*plan, *traffic, 0);
      for (const Rank sender : traffic->sources(0)) {
        const TrafficMessages from(*plan, *traffic, sender);
        move_in_parts(from, sender, to, 0, 3);
        expect_refusals(from, sender, to, 0);
      }
      EXPECT_FALSE(to.data()->damaged().has_value());
    }
}

TEST(PackedMessages, TrafficPartsComeOnlyFromSources) {
  const Shape shape = Shape::parse("5");
  const auto traffic = make_traffic("neighbour", shape, 100, 1);
  const auto plan =
      testing::plan_for(NodeOptions{.settings = {.packets_per_visit = 1}}, shape, shape);
  TrafficMessages to(*plan, *traffic, 0);
  const std::vector<std::byte> bytes(100);
  EXPECT_FALSE(to.unpack_part({2, 0, 1}, bytes));
}

}  // namespace
}  // namespace toroid
