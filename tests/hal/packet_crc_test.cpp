#include "hal/packet_crc.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

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

/// CRC-32C of the lowest `bits` bits of a word, computed bit by bit from the polynomial.
std::uint32_t crc_of_word(std::uint32_t crc, std::uint64_t word, int bits = 64) {
  for (int bit = 0; bit < bits; ++bit, word >>= 1) {
    const bool is_odd = ((crc ^ word) & 1) != 0;
    crc = crc >> 1 ^ (is_odd ? 0x82f63b78u : 0u);
  }
  return crc;
}

/// Checks the reference of these tests. Source of the value: Greg Cook, "Catalogue of parametrised
/// CRC algorithms", check of CRC-32/ISCSI.
TEST(PacketCrc, ReferenceHasThePublishedCheckValue) {
  std::uint32_t crc = ~0u;
  for (const char digit : std::string_view("123456789"))
    crc = crc_of_word(crc, static_cast<unsigned char>(digit), 8);
  EXPECT_EQ(~crc, 0xe3069283u);
}

/// A packet without payload has two words, which go to the first two of the four parts.
TEST(PacketCrc, IsTheCrc32cOfTheCrc32csOfItsParts) {
  Random random(4);
  const Packet packet = random_packet(random, 0);
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), &packet.header, sizeof words);
  const std::uint64_t first = crc_of_word(~0u, words[0]);
  const std::uint64_t second = crc_of_word(~0u, words[1]);
  const std::uint64_t none = ~std::uint64_t{0};
  EXPECT_EQ(packet_crc(packet), crc_of_word(crc_of_word(~0u, first | second << 32), none));
}

TEST(PacketCrc, IsTheSameWithoutTheCrcInstruction) {
  Random random(1);
  for (unsigned payload = 0; payload <= kPayloadBytes; ++payload) {
    const Packet packet = random_packet(random, payload);
    EXPECT_EQ(packet_crc(packet), packet_crc_by_table(packet)) << payload;
  }
}

TEST(PacketCrc, DetectsEveryChangedBitOfHeaderAndPayload) {
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

TEST(PacketCrc, IgnoresBytesBeyondThePayload) {
  Random random(3);
  Packet packet = random_packet(random, 100);
  const std::uint32_t crc = packet_crc(packet);
  for (std::size_t i = 100; i < kPayloadBytes; ++i) packet.payload[i] ^= std::byte{0xff};
  EXPECT_EQ(packet_crc(packet), crc);
}

/// In two packets in a row, the same bit of a byte is changed. The byte may be any byte of each
/// packet.
TEST(ChainedCrc, DetectsEqualErrorsInTwoPacketsAtAnyPosition) {
  Random random(5);
  const Packet sound = random_packet(random, kPayloadBytes);
  std::vector<std::uint32_t> damaged;
  for (std::size_t at = 0; at < kPayloadBytes; ++at) {
    Packet packet = sound;
    packet.payload[at] ^= std::byte{4};
    damaged.push_back(packet_crc(packet));
  }
  const auto chained = [](std::uint32_t first, std::uint32_t second) {
    return chained_crc(chained_crc(0, first), second);
  };
  const std::uint32_t wanted = chained(packet_crc(sound), packet_crc(sound));
  for (const std::uint32_t first : damaged)
    for (const std::uint32_t second : damaged) EXPECT_NE(chained(first, second), wanted);
}

TEST(ChainedCrc, DependsOnTheOrder) {
  EXPECT_NE(chained_crc(chained_crc(0, 1), 2), chained_crc(chained_crc(0, 2), 1));
}

}  // namespace
}  // namespace toroid
