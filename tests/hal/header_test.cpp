#include <gtest/gtest.h>

#include <cstdint>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

const Shape kShape = Shape::parse("4x5x6m");

HeaderFields random_fields(Random& random) {
  return {.destination = static_cast<Rank>(random.next()),
          .hints = DirectionSet(static_cast<std::uint16_t>(random.below(1u << kMaxLinks))),
          .deposit = random.coin(),
          .dynamic = random.coin(),
          .channel = static_cast<VirtualChannel>(random.below(kVirtualChannels)),
          .chunks = 1 + random.below(kMaxChunks),
          .handler = static_cast<HandlerId>(random.next()),
          .payload_bytes = random.below(kPayloadBytes + 1),
          .order = static_cast<DimensionOrder>(random.below(256)),
          .argument = static_cast<std::uint32_t>(random.next())};
}

TEST(PacketHeader, ReturnsEveryFieldUnchanged) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const HeaderFields fields = random_fields(random);
    const PacketHeader header(fields);
    ASSERT_EQ(header.fields(), fields);
    ASSERT_EQ(PacketHeader(header.hardware_word(), header.software_word()), header);
  }
}

TEST(PacketHeader, HasTheLayoutOfThePicture) {
  const PacketHeader header(HeaderFields{.destination = 0x89abcdef,
                                         .hints = DirectionSet(0xa5a),
                                         .deposit = true,
                                         .dynamic = true,
                                         .channel = VirtualChannel::priority,
                                         .chunks = 6,
                                         .handler = 0x1234,
                                         .payload_bytes = 0xf0,
                                         .order = 0x5a,
                                         .argument = 0xfedcba98});
  EXPECT_EQ(header.hardware_word(),
            0x89abcdefull | 0xa5aull << 32 | 1ull << 44 | 1ull << 45 | 3ull << 46 | 5ull << 48);
  EXPECT_EQ(header.software_word(),
            0x1234ull | 0xf0ull << 16 | 0x5aull << 24 | 0xfedcba98ull << 32);
}

/// A valid header, from (0,0,0) to (1,2,3).
HeaderFields sound() {
  const Coord to{{1, 2, 3}};
  Random random(1);
  return {.destination = kShape.rank(to),
          .hints = minimal_directions(kShape, {}, to, TieRule::parity, random),
          .chunks = 8,
          .payload_bytes = 240};
}

HeaderError error_of(const PacketHeader& header) {
  Route route;
  return validate(header, kShape, Coord{}, route);
}

HeaderError error_with(auto change) {
  HeaderFields fields = sound();
  change(fields);
  return error_of(PacketHeader(fields));
}

TEST(HeaderError, IsNoneForAValidHeader) {
  Route route;
  EXPECT_EQ(validate(PacketHeader(sound()), kShape, Coord{}, route), HeaderError::none);
  EXPECT_EQ(route.total_hops(), 1u + 2 + 3);
  EXPECT_EQ(route.directions, sound().hints);
}

/// The destination is on a ring of six, three hops away in either direction.
TEST(HeaderError, IsNoneForBothHintsOfATieInAnAdaptivePacket) {
  const Shape ring = Shape::parse("6");
  HeaderFields fields = sound();
  fields.destination = 3;
  fields.hints = {};
  fields.hints.add(Direction::plus(0));
  fields.hints.add(Direction::minus(0));
  fields.order = 0;
  Route route;
  EXPECT_EQ(validate(PacketHeader(fields), ring, Coord{}, route), HeaderError::none);
  EXPECT_EQ(route.total_hops(), 3u);
  fields.destination = 2;
  EXPECT_EQ(validate(PacketHeader(fields), ring, Coord{}, route),
            HeaderError::both_hints_of_a_dimension);
  fields.destination = 3;
  fields.dynamic = false;
  fields.channel = VirtualChannel::bubble;
  EXPECT_EQ(validate(PacketHeader(fields), ring, Coord{}, route),
            HeaderError::both_hints_of_a_dimension);
}

TEST(HeaderError, EachHasItsOwnCause) {
  using enum HeaderError;
  EXPECT_EQ(error_with([](auto& f) { f.destination = kShape.size(); }), destination_out_of_range);
  EXPECT_EQ(error_with([](auto& f) { f.hints.add(Direction::minus(1)); }),
            both_hints_of_a_dimension);
  EXPECT_EQ(error_with([](auto& f) { f.hints.remove(Direction::plus(0)); }),
            hint_disagrees_with_destination);
  EXPECT_EQ(error_with([](auto& f) { f.dynamic = false; }), dynamic_bit_disagrees_with_channel);
  EXPECT_EQ(error_with([](auto& f) { f.channel = VirtualChannel::bubble; }),
            dynamic_bit_disagrees_with_channel);
  EXPECT_EQ(error_with([](auto& f) { f.deposit = true; }), bad_deposit);
  EXPECT_EQ(error_with([](auto& f) { f.chunks = 7; }), payload_longer_than_chunks);
  const PacketHeader full{sound()};
  EXPECT_EQ(error_of({full.hardware_word(), full.software_word() + (1u << 16)}),  // 241 bytes
            payload_longer_than_chunks);
}

TEST(HeaderError, DetectsHintsIntoAMeshEdgeOrAMissingDimension) {
  const auto other_way = [](auto& f) {
    f.hints.remove(Direction::plus(2));
    f.hints.add(Direction::minus(2));
  };
  EXPECT_EQ(error_with(other_way), HeaderError::hint_disagrees_with_destination);
  EXPECT_EQ(error_with([](auto& f) { f.hints.add(Direction::plus(3)); }),
            HeaderError::hint_disagrees_with_destination);
}

TEST(HeaderError, DetectsEveryReservedBit) {
  const PacketHeader header{sound()};
  for (unsigned bit = 51; bit < 64; ++bit)
    EXPECT_EQ(error_of({header.hardware_word() | 1ull << bit, header.software_word()}),
              HeaderError::reserved_bits_set)
        << bit;
}

TEST(HeaderError, DetectsUnknownOrdersAndOrdersOfDeterministicPackets) {
  for (unsigned order = 0; order < 256; ++order)
    EXPECT_EQ(error_with([&](auto& f) { f.order = static_cast<DimensionOrder>(order); }),
              order <= 6 ? HeaderError::none : HeaderError::bad_dimension_order)
        << order;
  const auto deterministic = [](auto& f) {
    f.order = 1;
    f.dynamic = false;
    f.channel = VirtualChannel::bubble;
  };
  EXPECT_EQ(error_with(deterministic), HeaderError::bad_dimension_order);
}

TEST(HeaderError, IsNoneForALongerPathRoundATorus) {
  HeaderFields fields = sound();
  fields.hints.remove(Direction::plus(0));
  fields.hints.add(Direction::minus(0));
  Route route;
  EXPECT_EQ(validate(PacketHeader(fields), kShape, Coord{}, route), HeaderError::none);
  EXPECT_EQ(route.total_hops(), 3u + 2 + 3);
}

TEST(Packet, HasKnownSizesOnTheWire) {
  const Machine bgl;
  const auto wire = [&](unsigned payload) { return bgl.wire_bytes(chunks_for(payload)); };
  EXPECT_EQ(wire(16), 46u);
  EXPECT_EQ(wire(64), 110u);
  EXPECT_EQ(wire(128), 174u);
  EXPECT_EQ(wire(240), 270u);
  EXPECT_EQ(bgl.wire_cycles(wire(240)), 1080u);
  EXPECT_EQ(bgl.wire_cycles(32), 128u);
}

TEST(Packet, HasTheFewestChunksThatHoldHeaderAndPayload) {
  for (unsigned payload = 0; payload <= kPayloadBytes; ++payload) {
    unsigned chunks = 1;
    while (chunks * 32 < 16 + payload) ++chunks;
    EXPECT_EQ(chunks_for(payload), chunks) << payload;
  }
}

}  // namespace
}  // namespace toroid
