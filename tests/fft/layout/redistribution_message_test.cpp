// Transfers: which elements one node sends to another, in which order and in which packets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/redistribution_message.hpp"
#include "fft/layout/strided_iterator.hpp"
#include "fft/plan/blueprint.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "tests/fft/layout/distributions.hpp"
#include "tests/fft/plan/plan_run.hpp"

namespace toroid::fft {
namespace {

/// Pairs of an element's places: in the target, and in the source.
using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Calls visit(from, to, element bytes) for some pairs of nodes of every exchange of many
/// blueprints.
template <typename Visit>
void for_each_transfer(const Visit& visit) {
  testing::for_each_blueprint([&](const Blueprint& blueprint) {
    for (const auto& passage : testing::passages(blueprint))
      for (Rank s = 0; s < blueprint.shape().size(); s += 3) {
        const Group group = passage.exchange.group(blueprint.shape(), s);
        for (Rank t = s % 2; t < group.size(); t += 2)
          visit(passage.from->layout(s), passage.to->layout(group.rank(t)), passage.element_bytes);
      }
  });
}

/// A random permutation of the axes.
AxisOrder random_order(std::mt19937_64& engine) {
  AxisOrder order = kCOrder;
  std::shuffle(order.begin(), order.end(), engine);
  return order;
}

Box random_box(const Index& extents, std::mt19937_64& engine) {
  Box box;
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    const auto n = static_cast<std::uint64_t>(extents[axis]);
    box.lo[axis] = static_cast<std::int64_t>(engine() % ((n + 1) / 2));
    box.hi[axis] = box.lo[axis] + 1 + static_cast<std::int64_t>(engine() % ((n + 1) / 2));
  }
  return box;
}

NodeLayout random_layout(const Index& extents, std::mt19937_64& engine) {
  const Box box = random_box(extents, engine);
  const AxisOrder order = random_order(engine);
  if (engine() % 2 == 0) return NodeLayout::dense(box, order).with_gaps();
  const std::int64_t lines = box.volume() / box.length(order[kAxes - 1]);
  const auto first = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(lines));
  return NodeLayout::lines(box, order, first, lines - first / 2);
}

/// Calls visit for boxes of five or more axes, with random axis orders at the sender and the
/// receiver.
template <typename Visit>
void for_each_random_transfer(const Visit& visit) {
  std::mt19937_64 engine(7);
  for (const Index& extents : {Index{4, 5, 4, 3, 5, 4, 2}, Index{3, 1, 9, 2, 6, 1, 3}})
    for (int i = 0; i < 40; ++i) {
      const NodeLayout from = random_layout(extents, engine);
      const NodeLayout to = random_layout(extents, engine);
      for (const std::uint32_t bytes : {4u, 8u, 16u}) visit(from, to, bytes);
    }
}

Places expected_places(const NodeLayout& from, const NodeLayout& to) {
  Places places;
  for (const Box& target : to.boxes())
    for (const Box& source : from.boxes()) {
      const Box both = intersect(source, target);
      testing::for_each_index(
          both, [&](const Index& at) { places.emplace_back(to.offset(at), from.offset(at)); });
    }
  return places;
}

Places ordered_places(const Transfer& transfer) {
  Places places;
  for (std::uint32_t n = 0; n < transfer.size(); ++n)
    places.emplace_back(transfer.target_offset(n), transfer.source_offset(n));
  return places;
}

std::size_t falls(const Places& places) {
  std::size_t falls = 0;
  for (std::size_t n = 1; n < places.size(); ++n) falls += places[n] < places[n - 1] ? 1 : 0;
  return falls;
}

void expect_order(const NodeLayout& from, const NodeLayout& to, std::uint32_t bytes) {
  Places expected = expected_places(from, to);
  Places ordered = ordered_places(Transfer(from, to, bytes));
  ASSERT_LE(falls(ordered), from.boxes().size() * to.boxes().size());
  std::ranges::sort(expected);
  std::ranges::sort(ordered);
  ASSERT_EQ(ordered, expected);
}

TEST(Transfer, FollowsTheIntersectionBoxByBoxInTheOrderOfTheReceiversMemory) {
  for_each_transfer(expect_order);
  for_each_random_transfer(expect_order);
}

std::uint32_t packets_of(const Transfer& transfer, std::uint32_t elements) {
  return (elements + transfer.per_packet() - 1) / transfer.per_packet();
}

/// Checks that every element is in one packet, and that the packets agree with in_runs(),
/// for_each_stretch() and alike().
void expect_cut(const Transfer& transfer) {
  std::uint32_t next = 0;
  for (std::uint32_t packet = 0; packet < transfer.packets(); ++packet) {
    const auto [first, count] = transfer.elements(packet);
    ASSERT_EQ(first, next);
    ASSERT_TRUE(count > 0 && count <= transfer.per_packet());
    next += count;
    const std::uint32_t alike = transfer.alike(packet);
    ASSERT_TRUE(alike >= 1 && packet + alike <= transfer.packets());
    for (std::uint32_t other = packet; other < packet + alike; ++other)
      ASSERT_EQ(transfer.elements(other).count, count);
    if (transfer.in_runs()) {
      ASSERT_EQ(transfer.target_offset(next - 1), transfer.target_offset(first) + count - 1);
    }
  }
  ASSERT_EQ(next, transfer.size());
  ASSERT_EQ(transfer.elements(transfer.packets()).count, 0u);
  std::uint32_t stretched = 0;
  transfer.for_each_stretch([&](std::uint32_t elements, std::uint32_t times) {
    stretched += times * packets_of(transfer, elements);
  });
  ASSERT_EQ(stretched, transfer.packets());
  ASSERT_LE(transfer.packets() * 8, packets_of(transfer, transfer.size()) * 9);
}

TEST(Transfer, EveryElementIsInOnePacketAndPacketsStayWithinRunsIfInRuns) {
  std::set<std::pair<bool, std::uint32_t>> kinds;
  const auto cut = [&](const NodeLayout& from, const NodeLayout& to, std::uint32_t bytes) {
    const Transfer transfer(from, to, bytes);
    ASSERT_EQ(transfer.per_packet(), kPayloadBytes / bytes);
    expect_cut(transfer);
    if (transfer.size() > 0) kinds.emplace(transfer.in_runs(), bytes);
  };
  for_each_transfer(cut);
  for_each_random_transfer(cut);
  EXPECT_EQ(kinds.size(), 6u);
}

/// Elements whose value is their place in memory.
template <std::size_t Bytes>
std::vector<std::array<std::byte, Bytes>> numbered(std::int64_t extent) {
  std::vector<std::array<std::byte, Bytes>> elements(static_cast<std::size_t>(extent));
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    elements[i].fill(std::byte{0x5a});
    std::memcpy(elements[i].data(), &i, 4);
  }
  return elements;
}

/// Moves a message through packed memory, several packets at a time. The memory has exactly the
/// length of these packets.
void move_packed(const Transfer& transfer, std::uint32_t packets, const std::byte* source,
                 std::byte* target) {
  for (std::uint32_t first = 0; first < transfer.packets(); first += packets) {
    const std::uint32_t count = std::min(packets, transfer.packets() - first);
    const Transfer::Elements elements = transfer.elements(first, count);
    std::vector<std::byte> packed(std::size_t{elements.count} * transfer.element_bytes());
    std::vector<std::byte> gathered(packed.size());
    transfer.gather_blocks(elements, source, packed.data());
    transfer.gather(elements, source, gathered.data());
    ASSERT_TRUE(packed == gathered);
    transfer.scatter(elements, packed.data(), target);
  }
}

template <std::size_t Bytes>
void expect_moves(const NodeLayout& from, const NodeLayout& to) {
  const Transfer transfer(from, to, Bytes);
  const auto source = numbered<Bytes>(from.extent());
  std::vector<std::array<std::byte, Bytes>> sent(static_cast<std::size_t>(to.extent()));
  auto copied = sent;
  auto expected = sent;
  for (const auto& [target, at] : expected_places(from, to))
    expected[static_cast<std::size_t>(target)] = source[static_cast<std::size_t>(at)];
  const auto* const bytes = reinterpret_cast<const std::byte*>(source.data());
  std::array<std::byte, kPayloadBytes> payload;
  for (std::uint32_t packet = 0; packet < transfer.packets(); ++packet) {
    transfer.gather(transfer.elements(packet), bytes, payload.data());
    transfer.scatter(transfer.elements(packet), payload.data(),
                     reinterpret_cast<std::byte*>(sent.data()));
  }
  transfer.copy({0, transfer.size()}, bytes, reinterpret_cast<std::byte*>(copied.data()));
  ASSERT_TRUE(sent == expected);
  ASSERT_TRUE(copied == expected);
  for (const std::uint32_t packets : {1u, 3u, 64u}) {
    std::vector<std::array<std::byte, Bytes>> packed(sent.size());
    move_packed(transfer, packets, bytes, reinterpret_cast<std::byte*>(packed.data()));
    ASSERT_TRUE(packed == expected);
  }
}

void expect_moves_of(const NodeLayout& from, const NodeLayout& to, std::uint32_t bytes) {
  if (bytes == 4) return expect_moves<4>(from, to);
  if (bytes == 8) return expect_moves<8>(from, to);
  expect_moves<16>(from, to);
}

TEST(Transfer, GathersScattersAndCopiesTheSameElementsOfEverySize) {
  for_each_transfer(expect_moves_of);
  for_each_random_transfer(expect_moves_of);
}

TEST(Transfer, HasNoPacketsIfNothingIsSent) {
  const NodeLayout some = NodeLayout::dense(Box::of({2, 2, 2, 1, 1, 1, 1}));
  for (const Transfer& transfer :
       {Transfer(), Transfer(some, NodeLayout(), 8), Transfer(NodeLayout(), some, 8),
        Transfer(NodeLayout(), NodeLayout(), 4)}) {
    EXPECT_EQ(transfer.size(), 0u);
    EXPECT_EQ(transfer.packets(), 0u);
    EXPECT_EQ(transfer.elements(0).count, 0u);
  }
}

Box box_of(const NodeLayout& layout) {
  return layout.boxes()[0];
}

TEST(Transfer, KeepsPacketsInRunsIfLinesOfAnUnsplitAxisTravelTogether) {
  const Blueprint blueprint({.size = {64, 64, 64}}, Shape::parse("2x1x1"));
  const NodeLayout lines = NodeLayout::dense(box_of(blueprint.stages()[1].in.layout(1)));
  const Transfer transfer(blueprint.stages()[0].out.layout(0), lines, 16);
  EXPECT_TRUE(transfer.in_runs());
  EXPECT_EQ(transfer.packets(), (32u * 32 * 64 + 14) / 15);
}

TEST(Transfer, SendsEqualMessagesBetweenAllNodesOfAPlaneInTheVolumetricMethod) {
  const Blueprint blueprint({.size = {32, 32, 32}}, Shape::parse("4x4x4"));
  for (const std::size_t i : {1u, 2u}) {
    const Group plane = blueprint.exchanges()[i].group(blueprint.shape(), 0);
    EXPECT_EQ(plane.size(), 16u);
    for (Rank s = 0; s < plane.size(); ++s)
      for (Rank t = 0; t < plane.size(); ++t)
        EXPECT_EQ(Transfer(blueprint.stages()[i].out.layout(plane.rank(s)),
                           blueprint.stages()[i + 1].in.layout(plane.rank(t)), 16)
                      .size(),
                  512u / 16);
  }
}

TEST(Divisor, DividesExactly) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 200000; ++i) {
    const auto d =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, engine() >> (32 + i % 32)));
    const auto n = static_cast<std::uint32_t>(engine() >> (32 + i / 32 % 32));
    const auto multiple = n / d * d;
    ASSERT_EQ(Divisor(d).quotient(n), n / d);
    ASSERT_EQ(Divisor(d).quotient(multiple), n / d);
    if (multiple == 0) continue;
    ASSERT_EQ(Divisor(d).quotient(multiple - 1), n / d - 1);
  }
  EXPECT_EQ(Divisor(1).quotient(UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(Divisor(UINT32_MAX).quotient(UINT32_MAX), 1u);
  EXPECT_EQ(Divisor(UINT32_MAX).quotient(UINT32_MAX - 1), 0u);
}

}  // namespace
}  // namespace toroid::fft
