#include "hal/packet_crc.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "hal/packet.hpp"
#include "hal/random.hpp"

namespace toroid {
namespace {

Packet random_packet(Random& random, unsigned payload) {
  Packet packet;
  packet.header = PacketHeader(random.next() & 0xffff'ffff, random.next() & 0xffff'ffff'0000'ffff);
  packet.header.software_word() |= std::uint64_t{payload} << 16;
  for (std::byte& byte : packet.payload) byte = std::byte(random.below(256));
  return packet;
}

/// The check value of CRC-32C is that of "123456789", 0xe3069283: eight bytes at once, and one.
TEST(PacketCrc, GoesOnByCrc32c) {
  std::uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | static_cast<unsigned>('1' + i);
  std::uint32_t crc = next_crc(~0u, word);
  crc ^= '9';
  for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0x82f63b78u & (0 - (crc & 1u)));
  EXPECT_EQ(~crc, 0xe3069283u);
}

TEST(PacketCrc, IsTheSameWithoutTheInstruction) {
  Random random(1);
  for (unsigned payload = 0; payload <= kPayloadBytes; ++payload) {
    const Packet packet = random_packet(random, payload);
    EXPECT_EQ(packet_crc(packet), packet_crc_by_table(packet)) << payload;
  }
}

TEST(PacketCrc, NoticesEveryBitOfHeaderAndPayload) {
  Random random(2);
  for (const unsigned payload : {0u, 1u, 7u, 8u, 40u, 239u, 240u}) {
    Packet packet = random_packet(random, payload);
    const std::uint32_t crc = packet_crc(packet);
    auto* const bytes = reinterpret_cast<std::byte*>(&packet);
    for (unsigned bit = 0; bit < 8 * (sizeof(PacketHeader) + payload); ++bit) {
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
      EXPECT_NE(packet_crc(packet), crc) << payload << " bytes, bit " << bit;
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
    }
  }
}

TEST(PacketCrc, TakesNoNoticeOfWhatIsBeyondThePayload) {
  Random random(3);
  Packet packet = random_packet(random, 100);
  const std::uint32_t crc = packet_crc(packet);
  for (std::size_t i = 100; i < kPayloadBytes; ++i) packet.payload[i] ^= std::byte{0xff};
  EXPECT_EQ(packet_crc(packet), crc);
}

}  // namespace
}  // namespace toroid
