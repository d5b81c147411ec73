#include "hal/packet_crc.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace toroid {
namespace {

/// The polynomial of CRC-32C, bits reversed.
constexpr std::uint32_t kPolynomial = 0x82f63b78;

constexpr std::array<std::uint32_t, 256> kByBytes = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (kPolynomial & (0 - (crc & 1u)));
    table[byte] = crc;
  }
  return table;
}();

struct ByTable {
  static std::uint32_t next(std::uint32_t crc, std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte, word >>= 8)
      crc = crc >> 8 ^ kByBytes[(crc ^ word) & 0xffu];
    return crc;
  }
};

/// Reads words of eight bytes: the header's two, then the payload's, the last one padded with
/// zeros.
template <typename Crc>
[[gnu::always_inline]] inline std::uint32_t crc_of(const Packet& packet) {
  std::array<std::uint32_t, 4> parts{~0u, ~0u, ~0u, ~0u};
  const auto* const bytes = reinterpret_cast<const std::byte*>(&packet);
  const std::size_t payload = std::min<std::size_t>(packet.header.payload_bytes(), kPayloadBytes);
  const std::size_t size = sizeof(PacketHeader) + payload;
  std::size_t at = 0;
  std::uint64_t word = 0;
  for (; at + 4 * sizeof word <= size; at += 4 * sizeof word)
    for (std::size_t part = 0; part < 4; ++part) {
      std::memcpy(&word, bytes + at + part * sizeof word, sizeof word);
      parts[part] = Crc::next(parts[part], word);
    }
  for (std::size_t part = 0; at < size; at += sizeof word, ++part) {
    word = 0;
    std::memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
    parts[part] = Crc::next(parts[part], word);
  }
  const std::uint32_t first = Crc::next(~0u, parts[0] | std::uint64_t{parts[1]} << 32);
  return Crc::next(first, parts[2] | std::uint64_t{parts[3]} << 32);
}

std::uint32_t crc_by_table(const Packet& packet) {
  return crc_of<ByTable>(packet);
}

#if defined(__x86_64__)

struct ByInstruction {
  [[gnu::target("sse4.2")]] static std::uint32_t next(std::uint32_t crc, std::uint64_t word) {
    return static_cast<std::uint32_t>(__builtin_ia32_crc32di(crc, word));
  }
};

[[gnu::target("sse4.2")]] std::uint32_t crc_by_instruction(const Packet& packet) {
  return crc_of<ByInstruction>(packet);
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;

#endif

}  // namespace

std::uint32_t packet_crc(const Packet& packet) {
#if defined(__x86_64__)
  if (kHasInstruction) return crc_by_instruction(packet);
#endif
  return crc_by_table(packet);
}

std::uint32_t packet_crc_by_table(const Packet& packet) {
  return crc_by_table(packet);
}

}  // namespace toroid
