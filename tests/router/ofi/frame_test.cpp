// Frames: they are read back as written, and anything else is refused.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
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
using testing::FramedPacket;
using testing::FrameMemory;
using testing::packets_of;

constexpr FrameHeader kHeader{.magic = 0,
                              .source = 7,
                              .token = 0x123456789abcdef0,
                              .sequence = 1ull << 40,
                              .received = 5,
                              .freed = 3,
                              .bytes = 0,
                              .runs = 0,
                              .credits = 0,
                              .held = 0,
                              .flags = 0,
                              .reserved = 0,
                              .crc = 0};

std::vector<FramedPacket> sent_through(const FrameView& view, std::span<const std::byte> frame) {
  EXPECT_EQ(view.header.bytes, frame.size());
  EXPECT_EQ(view.header.source, kHeader.source);
  EXPECT_EQ(view.header.token, kHeader.token);
  EXPECT_EQ(view.header.sequence, kHeader.sequence);
  EXPECT_EQ(view.header.received, kHeader.received);
  EXPECT_EQ(view.header.freed, kHeader.freed);
  return packets_of(view);
}

/// Copies a frame into memory of exactly its size and reads it there.
void expect_round_trip(std::span<const std::byte> frame, const std::vector<FramedPacket>& sent,
                       const std::vector<LinkCredit>& credits) {
  FrameMemory received(frame);
  FrameView view;
  ASSERT_EQ(examined(received.bytes(), view), FrameError::none);
  ASSERT_EQ(sent_through(view, frame), sent);
  ASSERT_EQ(view.credits.size(), credits.size());
  for (std::size_t i = 0; i < credits.size(); ++i) {
    ASSERT_EQ(view.credits[i].link, credits[i].link);
    ASSERT_EQ(view.credits[i].popped, credits[i].popped);
  }
}

TEST(Frame, CarriesPacketsOfEveryLength) {
  Random random(1);
  FrameMemory buffer(std::size_t{64} << 10);
  FrameWriter writer(buffer.bytes());
  std::vector<FramedPacket> sent;
  for (unsigned bytes = 0; bytes <= kPayloadBytes; ++bytes) {
    ASSERT_GT(writer.room(), 0u);
    write(writer, sent.emplace_back(framed_packet(bytes / 9, bytes, random)));
  }
  expect_round_trip(writer.finish(kHeader), sent, {});
}

TEST(Frame, FillsItsBufferAndNeverExceedsIt) {
  for (const std::size_t size : {512u, 1024u, 4096u, 4160u, 65536u})
    for (std::uint64_t seed = 1; seed <= testing::scaled(50u); ++seed) {
      SCOPED_TRACE(std::to_string(size) + " bytes, seed " + std::to_string(seed));
      Random random(seed, size);
      FrameMemory buffer(size);
      FrameWriter writer(buffer.bytes());
      std::vector<FramedPacket> sent;
      std::vector<LinkCredit> credits;
      const unsigned ports = 1 + random.below(5);
      while (writer.room() > 0) {
        if (random.below(4) == 0 && writer.has_room_for_credit()) {
          credits.push_back({random.below(9), 0, random.next()});
          writer.add_credit(credits.back().link, credits.back().popped);
          continue;
        }
        for (unsigned some = 1 + random.below(writer.room()); some > 0; --some)
          write(writer, sent.emplace_back(framed_packet(random.below(ports),
                                                        random.below(kPayloadBytes + 1), random)));
      }
      const std::span<const std::byte> frame = writer.finish(kHeader);
      ASSERT_LE(frame.size(), size);
      ASSERT_GT(frame.size() + sizeof(Packet) + sizeof(ofi::PacketRun), size)
          << "there was room for more";
      expect_round_trip(frame, sent, credits);
      EXPECT_FALSE(writer.has_buffer());
      EXPECT_TRUE(writer.empty());
      EXPECT_EQ(writer.room(), 0u);
      EXPECT_FALSE(writer.has_room_for_credit());
    }
}

TEST(Frame, WithCreditsOnlyFillsItsBufferAndNeverExceedsIt) {
  FrameMemory buffer(1000);
  FrameWriter writer(buffer.bytes());
  std::vector<LinkCredit> credits;
  while (writer.has_room_for_credit()) {
    credits.push_back({static_cast<std::uint32_t>(credits.size()), 0, credits.size() << 40});
    writer.add_credit(credits.back().link, credits.back().popped);
  }
  EXPECT_EQ(credits.size(), (1000 - 64) / 16u);
  expect_round_trip(writer.finish(kHeader), {}, credits);
}

TEST(Frame, WithoutContentIsJustAHeader) {
  FrameMemory buffer(sizeof(FrameHeader));
  FrameWriter writer(buffer.bytes());
  const auto frame = writer.finish(kHeader);
  EXPECT_EQ(frame.size(), sizeof(FrameHeader));
  expect_round_trip(frame, {}, {});
}

/// Writes packets without payload to these targets and channels. Returns the lengths of the runs.
std::vector<unsigned> runs_of(const std::vector<std::pair<std::uint32_t, std::uint16_t>>& ports) {
  FrameMemory buffer(ports.size() * 80 + 1024);
  FrameWriter writer(buffer.bytes());
  for (const auto& [target, channel] : ports) {
    EXPECT_GT(writer.room(), 0u);
    writer.commit(target, channel, PacketHeader(HeaderFields{.hints = {}}));
  }
  FrameView view;
  EXPECT_EQ(examined(writer.finish(kHeader), view), FrameError::none);
  std::vector<unsigned> lengths;
  for (const PacketRun& run : view.runs) lengths.push_back(run.packets);
  return lengths;
}

TEST(Frame, JoinsConsecutivePacketsOfSameTargetAndChannel) {
  EXPECT_EQ(runs_of({{1, 0}, {1, 0}, {1, 1}, {1, 0}, {2, 0}, {2, 0}, {2, 0}}),
            (std::vector<unsigned>{2, 1, 1, 3}));
}

TEST(Frame, BeginsNewRunAfter65535Packets) {
  EXPECT_EQ(runs_of(std::vector(70'000, std::pair(3u, std::uint16_t{2}))),
            (std::vector<unsigned>{65'535, 4'465}));
}

TEST(Frame, HasNoRoomForMoreRunsThanItCanCount) {
  FrameMemory buffer(std::size_t{6} << 20);
  FrameWriter writer(buffer.bytes());
  std::uint32_t packets = 0;
  while (const std::uint32_t room = writer.room())
    for (std::uint32_t i = 0; i < room; ++i)
      writer.commit(++packets, 0, PacketHeader(HeaderFields{.hints = {}}));
  EXPECT_GT(packets, 60'000u);
  FrameView view;
  ASSERT_EQ(examined(writer.finish(kHeader), view), FrameError::none);
  EXPECT_EQ(view.runs.size(), packets);
}

/// A frame of three packets in two runs, and a credit.
FrameMemory small_frame() {
  Random random(3);
  FrameMemory buffer(2048);
  FrameWriter writer(buffer.bytes());
  for (const auto& [target, bytes] : {std::pair(1u, 5u), {1u, 90u}, {2u, 48u}}) {
    FramedPacket packet = framed_packet(target, bytes, random);
    packet.channel = 0;
    write(writer, packet);
  }
  writer.add_credit(4, 77);
  return FrameMemory(writer.finish(kHeader));
}

FrameError error_of(std::span<const std::byte> bytes) {
  FrameView view;
  return examined(bytes, view);
}

TEST(Frame, IsRefusedWithAnyBitFlipped) {
  FrameMemory frame = small_frame();
  ASSERT_EQ(error_of(frame.bytes()), FrameError::none);
  for (std::byte& byte : frame.bytes())
    for (unsigned bit = 0; bit < 8; ++bit) {
      byte ^= std::byte{1} << bit;
      const FrameError error = error_of(frame.bytes());
      ASSERT_TRUE(error == FrameError::malformed || error == FrameError::bad_checksum);
      byte ^= std::byte{1} << bit;
    }
  EXPECT_EQ(error_of(frame.bytes()), FrameError::none);
}

/// Changes of header and tables are noticed; the bytes between them are not checked.
TEST(Frame, WithTableChecksumIsRefusedWithAnyTableBitFlipped) {
  FrameMemory buffer(4096);
  FrameWriter writer(buffer.bytes(), CrcScope::tables);
  Random random(3);
  for (const unsigned target : {1u, 2u, 1u}) write(writer, framed_packet(target, 200, random));
  writer.add_credit(4, 77);
  FrameMemory frame(writer.finish(kHeader));
  FrameView view;
  ASSERT_EQ(parse(frame.bytes(), view, CrcScope::tables), FrameError::none);
  EXPECT_EQ(parse(frame.bytes(), view), FrameError::bad_checksum);
  const auto tables = static_cast<std::size_t>(
      reinterpret_cast<const std::byte*>(view.runs.data()) - frame.bytes().data());
  for (std::size_t at = 0; at < frame.bytes().size(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::byte& byte = frame.bytes()[at];
      byte ^= std::byte{1} << bit;
      const FrameError error = parse(frame.bytes(), view, CrcScope::tables);
      const bool is_between = at >= sizeof(FrameHeader) && at < tables;
      ASSERT_EQ(error == FrameError::none, is_between) << at;
      byte ^= std::byte{1} << bit;
    }
}

TEST(Frame, IsRefusedWithAnyTwoBytesSwapped) {
  FrameMemory frame = small_frame();
  const auto bytes = frame.bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (std::size_t j = i + 1; j < bytes.size(); ++j) {
      if (bytes[i] == bytes[j]) continue;
      std::swap(bytes[i], bytes[j]);
      ASSERT_NE(error_of(bytes), FrameError::none) << i << ' ' << j;
      std::swap(bytes[i], bytes[j]);
    }
}

TEST(Frame, IsRefusedIfTruncatedOrExtended) {
  FrameMemory frame = small_frame();
  for (std::size_t size = 0; size < frame.bytes().size(); ++size) {
    FrameMemory shorter(frame.bytes().first(size));
    ASSERT_EQ(error_of(shorter.bytes()), FrameError::malformed) << size;
  }
  std::vector<std::byte> longer(frame.bytes().begin(), frame.bytes().end());
  longer.resize(longer.size() + 64);
  EXPECT_EQ(error_of(FrameMemory(longer).bytes()), FrameError::malformed);
}

/// The error of the small frame after a change of its header.
FrameError error_with(const auto& change) {
  FrameMemory frame = small_frame();
  frame.change(change);
  return error_of(frame.bytes());
}

TEST(Frame, IsMalformedWithWrongMagicNumber) {
  EXPECT_EQ(error_with([](FrameHeader& h) { h.magic = __builtin_bswap32(kFrameMagic); }),
            FrameError::malformed);
}

TEST(Frame, IsMalformedWithWrongLengthInHeader) {
  for (const std::uint32_t bytes : {0u, 1u, 64u, 0xffffffffu})
    EXPECT_EQ(error_with([&](FrameHeader& h) { h.bytes = bytes; }), FrameError::malformed);
}

TEST(Frame, IsMalformedWithTablesLongerThanFrame) {
  EXPECT_EQ(error_with([](FrameHeader& h) { h.runs = 0xffff; }), FrameError::malformed);
  EXPECT_EQ(error_with([](FrameHeader& h) { h.credits = 0xffff; }), FrameError::malformed);
  EXPECT_EQ(error_with([](FrameHeader& h) { h.runs = h.credits = 0xffff; }), FrameError::malformed);
}

TEST(Frame, IsMalformedWithUnalignedTables) {
  EXPECT_EQ(error_with([](FrameHeader& h) { ++h.runs; }), FrameError::malformed);
  EXPECT_EQ(error_with([](FrameHeader& h) { --h.runs; }), FrameError::malformed);
  EXPECT_EQ(error_with([](FrameHeader& h) { ++h.credits; }), FrameError::malformed);
  EXPECT_EQ(error_with([](FrameHeader& h) { h.runs = 0; }), FrameError::malformed);
}

/// The error of the small frame after a change of its first run.
FrameError error_with_run(const auto& change) {
  FrameMemory frame = small_frame();
  std::byte* const at = frame.bytes().data() + frame.bytes().size() - 2 * sizeof(PacketRun) - 16;
  PacketRun run;
  std::memcpy(&run, at, sizeof(run));
  change(run);
  std::memcpy(at, &run, sizeof(run));
  frame.sign();
  return error_of(frame.bytes());
}

TEST(Frame, IsMalformedWithWrongPacketCountInRun) {
  EXPECT_EQ(error_with_run([](ofi::PacketRun&) {}), FrameError::none);
  EXPECT_EQ(error_with_run([](ofi::PacketRun& r) { ++r.packets; }), FrameError::malformed);
  EXPECT_EQ(error_with_run([](ofi::PacketRun& r) { --r.packets; }), FrameError::malformed);
  EXPECT_EQ(error_with_run([](ofi::PacketRun& r) { r.packets = 0xffff; }), FrameError::malformed);
}

/// The error of a frame with one packet of 0 bytes after the packet's header has been replaced.
FrameError error_with_packet(const PacketHeader& header) {
  FrameMemory buffer(512);
  FrameWriter writer(buffer.bytes());
  writer.commit(0, 0, PacketHeader(HeaderFields{.hints = {}}));
  FrameMemory frame(writer.finish(kHeader));
  std::memcpy(frame.bytes().data() + sizeof(FrameHeader), &header, sizeof(header));
  frame.sign();
  return error_of(frame.bytes());
}

TEST(Frame, IsRefusedWithMalformedPacket) {
  const PacketHeader good(HeaderFields{.hints = {}});
  EXPECT_EQ(error_with_packet(good), FrameError::none);
  EXPECT_EQ(error_with_packet({good.hardware_word(), good.software_word() | 17ull << 16}),
            FrameError::bad_packet);
  EXPECT_EQ(error_with_packet({good.hardware_word() | 7ull << 48, 0xffull << 16}),
            FrameError::bad_packet);
}

TEST(Frame, IsMalformedWithPacketLongerThanFrame) {
  EXPECT_EQ(error_with_packet(PacketHeader(
                HeaderFields{.hints = {}, .chunks = kMaxChunks, .payload_bytes = kPayloadBytes})),
            FrameError::malformed);
}

struct NotForNode2 {
  bool operator()(const ofi::PacketRun& run, const PacketHeader& header) const {
    EXPECT_EQ(run.target, header.destination());
    return run.target != 2;
  }
  bool operator()(const ofi::PacketRun& run, const ofi::PartHeader&) const {
    return run.target != 2;
  }
};

TEST(Frame, IsRefusedIfReceiverRejectsPacket) {
  FrameMemory frame = small_frame();
  FrameView view;
  ASSERT_EQ(parse(frame.bytes(), view), FrameError::none);
  EXPECT_EQ(check_packets(view, NotForNode2()), FrameError::bad_packet);
}

TEST(Frame, IsMalformedWithEmptyRun) {
  FrameMemory frame(sizeof(FrameHeader) + sizeof(ofi::PacketRun));
  std::memset(frame.bytes().data(), 0, frame.bytes().size());
  const ofi::PacketRun nothing{.target = 0xffffffff, .packets = 0, .channel = 0xffff};
  std::memcpy(frame.bytes().data() + sizeof(FrameHeader), &nothing, sizeof(nothing));
  frame.change([&](FrameHeader& h) {
    h = kHeader;
    h.magic = kFrameMagic;
    h.bytes = static_cast<std::uint32_t>(frame.bytes().size());
    h.runs = 1;
  });
  EXPECT_EQ(error_of(frame.bytes()), FrameError::malformed);
}

/// Random bytes with a frame header that fits them.
FrameMemory almost_a_frame(Random& random) {
  FrameMemory frame(sizeof(FrameHeader) + random.below(600));
  for (std::byte& byte : frame.bytes()) byte = static_cast<std::byte>(random.below(256));
  frame.change([&](FrameHeader& h) {
    h.magic = kFrameMagic;
    h.bytes = static_cast<std::uint32_t>(frame.bytes().size());
    h.runs = static_cast<std::uint16_t>(random.below(4));
    h.credits = static_cast<std::uint16_t>(random.below(4));
  });
  return frame;
}

TEST(Frame, ParsingRandomBytesStaysInBounds) {
  Random random(5);
  unsigned sound = 0;
  for (unsigned i = 0; i < 30'000; ++i) {
    FrameMemory frame = almost_a_frame(random);
    FrameView view;
    sound += examined(frame.bytes(), view) == FrameError::none ? 1 : 0;
  }
  EXPECT_GT(sound, 0u);  // some frames without packets are valid, as their checksum is right
}

}  // namespace
}  // namespace toroid::ofi
