// The CRC of a packet on a link, and of all packets.
#pragma once

#include <cstdint>

#include "hal/packet.hpp"

namespace toroid {

/// Of the header and the payload, without what is beyond its length: CRC-32C of the CRC-32Cs of
/// four interleaved parts, which processors compute at the same time. It notices every error of up
/// to 32 bits in a row in one part, and others but for one in 2^32.
std::uint32_t packet_crc(const Packet& packet);
/// The same where the processor has no instruction for it.
std::uint32_t packet_crc_by_table(const Packet& packet);

/// Of a stream of packets or frames, from `running` of those before, with the CRC of one more.
/// Where one CRC differs it differs; where several do, but for one in 2^32. Not a CRC of the CRCs:
/// that is linear as they are, so that equal errors in two packets cancel where one is as much
/// nearer to the end of its packet as there are bytes of CRCs between them. Source of the
/// constants: MurmurHash3's finalizer.
constexpr std::uint32_t chained_crc(std::uint32_t running, std::uint32_t crc) {
  std::uint32_t mixed = (running ^ crc) + 0x9e3779b9u;
  mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
  mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
  return mixed ^ mixed >> 16;
}

}  // namespace toroid
