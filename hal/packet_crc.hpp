// The CRC of a packet on a link, and of a stream of packets.
#pragma once

#include <cstdint>

#include "hal/packet.hpp"

namespace toroid {

/// The CRC of header and payload, without the unused rest of the packet. It is the CRC-32C of the
/// CRC-32Cs of four interleaved parts, which processors compute in parallel. It detects every error
/// burst of up to 32 bits within one part, and all but one in 2^32 of the other errors.
std::uint32_t packet_crc(const Packet& packet);
/// The same for processors without a CRC instruction.
std::uint32_t packet_crc_by_table(const Packet& packet);

/// The CRC of a stream of packets or frames: `running` is that of the stream so far, `crc` that of
/// the next packet. If the CRC of one packet differs, the result differs too. If the CRCs of
/// several packets differ, the result differs except in one case of 2^32. A CRC of the CRCs would
/// not be enough. It is linear, as the CRCs are, so equal errors at certain positions of two
/// packets would cancel each other. Source of the constants: MurmurHash3's finalizer.
constexpr std::uint32_t chained_crc(std::uint32_t running, std::uint32_t crc) {
  std::uint32_t mixed = (running ^ crc) + 0x9e3779b9u;
  mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
  mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
  return mixed ^ mixed >> 16;
}

}  // namespace toroid
