// The CRC of a packet on a link.
#pragma once

#include <cstdint>

#include "hal/packet.hpp"

namespace toroid {

/// A CRC-32C that goes on by eight bytes.
std::uint32_t next_crc(std::uint32_t crc, std::uint64_t word);

/// Of the header and the payload, without what is beyond its length: CRC-32C of the CRC-32Cs of
/// four interleaved parts, which processors compute at the same time. It notices every error of up
/// to 32 bits in a row in one part, and others but for one in 2^32.
std::uint32_t packet_crc(const Packet& packet);
/// The same where the processor has no instruction for it.
std::uint32_t packet_crc_by_table(const Packet& packet);

}  // namespace toroid
