// Packed parts in frames: they are read back as written, and malformed parts are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/ofi/frame.hpp"
#include "tests/router/ofi/frames.hpp"
#include "tests/scale.hpp"

namespace toroid::ofi {
namespace {

using testing::examined;
using testing::framed_packet;
using testing::FrameMemory;

PartHeader part_of(std::uint32_t packets, std::uint32_t bytes) {
  return {.origin = 3,
          .first = 70'000,
          .packets = packets,
          .bytes = bytes,
          .window = 17,
          .kind = ofi::PartKind::packed,
          .reserved = {}};
}

std::vector<std::byte> random_bytes(std::size_t count, Random& random) {
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
  return bytes;
}

struct WrittenPart {
  std::uint32_t target;
  std::vector<std::byte> bytes;
  bool operator==(const WrittenPart&) const = default;
};

void write_part(FrameWriter& writer, std::uint32_t packets, const WrittenPart& part) {
  std::ranges::copy(part.bytes, writer.claim_part(packets).begin());
  writer.commit_part(part.target, part_of(packets, static_cast<std::uint32_t>(part.bytes.size())));
}

/// The parts of a valid frame; packets are skipped.
std::vector<WrittenPart> parts_in(const FrameView& view) {
  std::vector<WrittenPart> parts;
  const std::byte* at = view.packets;
  for (const PacketRun& run : view.runs) {
    if (run.channel == kPartChannel) {
      const std::byte* const bytes = at + sizeof(PartHeader);
      parts.push_back({run.target, {bytes, bytes + part_at(at).bytes}});
      at += framed_bytes(part_at(at));
      continue;
    }
    for (unsigned i = 0; i < run.packets; ++i)
      at += framed_bytes(packet_at(at).header.payload_bytes());
  }
  return parts;
}

TEST(FramePart, IsReadBackAmongPackets) {
  for (const std::size_t size : {512u, 1024u, 4096u, 4160u, 65536u})
    for (std::uint64_t seed = 1; seed <= testing::scaled(50u); ++seed) {
      Random random(seed, size);
      FrameMemory buffer(size);
      FrameWriter writer(buffer.bytes());
      std::vector<WrittenPart> written;
      while (writer.part_room() > 0 && writer.room() > 0) {
        if (random.below(3) == 0) {
          testing::write(writer, framed_packet(random.below(5), random.below(241), random));
          continue;
        }
        const std::uint32_t most = 1 + random.below(writer.part_room());
        const std::uint32_t bytes = 1 + random.below(most * kPayloadBytes);
        write_part(writer, most,
                   written.emplace_back(random.below(9), random_bytes(bytes, random)));
      }
      const std::span<const std::byte> frame = writer.finish({});
      ASSERT_LE(frame.size(), size);
      FrameMemory received(frame);
      FrameView view;
      ASSERT_EQ(examined(received.bytes(), view), FrameError::none);
      ASSERT_EQ(parts_in(view), written);
    }
}

TEST(FramePart, FillsEmptyFrame) {
  for (const std::size_t size : {448u, 512u, 4096u, 262144u}) {
    FrameMemory buffer(size);
    FrameWriter writer(buffer.bytes());
    const std::uint32_t packets = writer.part_room();
    ASSERT_GT(packets, 0u);
    Random random(size);
    write_part(writer, packets, {0, random_bytes(std::size_t{packets} * kPayloadBytes, random)});
    const std::span<const std::byte> frame = writer.finish({});
    ASSERT_LE(frame.size(), size);
    ASSERT_GT(frame.size() + kPayloadBytes + kFrameAlignment, size) << "another packet would fit";
  }
}

TEST(FramePart, HasNoRoomWithoutBufferOrInFullFrame) {
  EXPECT_EQ(FrameWriter().part_room(), 0u);
  FrameMemory buffer(512);
  FrameWriter writer(buffer.bytes());
  Random random(1);
  write_part(writer, 1, {0, random_bytes(200, random)});
  EXPECT_EQ(writer.part_room(), 0u);
}

/// The error of a frame with one part of 500 bytes in 3 packets, after `change` has changed the
/// part's header or run.
FrameError error_of_part(const std::function<void(PartHeader&, PacketRun&)>& change) {
  FrameMemory buffer(4096);
  FrameWriter writer(buffer.bytes());
  Random random(2);
  write_part(writer, 3, {1, random_bytes(500, random)});
  FrameMemory frame(writer.finish({}));
  std::byte* const header_at = frame.bytes().data() + sizeof(FrameHeader);
  std::byte* const run_at = frame.bytes().data() + frame.bytes().size() - sizeof(PacketRun);
  PartHeader header;
  PacketRun run;
  std::memcpy(&header, header_at, sizeof header);
  std::memcpy(&run, run_at, sizeof run);
  change(header, run);
  std::memcpy(header_at, &header, sizeof header);
  std::memcpy(run_at, &run, sizeof run);
  frame.sign();
  FrameView view;
  return examined(frame.bytes(), view);
}

TEST(FramePart, IsRefusedWithInconsistentLengths) {
  EXPECT_EQ(error_of_part([](PartHeader&, PacketRun&) {}), FrameError::none);
  for (const std::uint32_t bytes : {0u, 600u, 721u, 0x7fffffffu, 0xffffffffu, 0xffffffe0u})
    EXPECT_EQ(error_of_part([&](PartHeader& h, PacketRun&) { h.bytes = bytes; }),
              FrameError::bad_part)
        << bytes;
  EXPECT_EQ(error_of_part([](PartHeader& h, PacketRun&) { h.bytes = 300; }), FrameError::malformed);
  for (const std::uint32_t packets : {0u, 1u, 2u})
    EXPECT_EQ(error_of_part([&](PartHeader& h, PacketRun&) { h.packets = packets; }),
              FrameError::bad_part);
  EXPECT_EQ(error_of_part([](PartHeader& h, PacketRun&) { h.kind = ofi::PartKind{3}; }),
            FrameError::bad_part);
  EXPECT_EQ(error_of_part([](PartHeader& h, PacketRun&) { h.reserved[2] = 1; }),
            FrameError::bad_part);
  EXPECT_EQ(error_of_part([](PartHeader&, PacketRun& r) { r.packets = 2; }), FrameError::bad_part);
  EXPECT_EQ(error_of_part([](PartHeader&, PacketRun& r) { r.packets = 0; }), FrameError::malformed);
}

struct NoParts {
  bool operator()(const PacketRun&, const PacketHeader&) const { return true; }
  bool operator()(const PacketRun&, const PartHeader&) const { return false; }
};

TEST(FramePart, IsRefusedIfReceiverWantsNoParts) {
  FrameMemory buffer(1024);
  FrameWriter writer(buffer.bytes());
  Random random(3);
  write_part(writer, 1, {0, random_bytes(9, random)});
  FrameMemory frame(writer.finish({}));
  FrameView view;
  ASSERT_EQ(parse(frame.bytes(), view), FrameError::none);
  EXPECT_EQ(check_packets(view, NoParts()), FrameError::bad_part);
}

}  // namespace
}  // namespace toroid::ofi
