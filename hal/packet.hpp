// The packet: 256 bytes, 64-byte aligned. 16 bytes of header, at most 240 of payload.
//
//   byte 0                               8                              16                 256
//        +-------------------------------+------------------------------+-------------------+
//        | hardware word                 | software word                | payload, 0..240 B |
//        +-------------------------------+------------------------------+-------------------+
//
//   hardware word, bit 0 = least significant   software word
//     0..31  destination (node)                  0..15  handler
//    32..43  hint bits X+ X- Y+ Y- Z+ Z- ...    16..23  payload bytes, 0..240
//            the next one: to another rank of
//            the same node, if t ranks share it
//    44      deposit (reserved: must be 0)      24..31  dimension order; 0: none
//    45      dynamic: may be routed adaptively  32..63  argument
//    46..47  virtual channel D0 D1 BN BP
//    48..50  chunks - 1; a chunk is 32 bytes
//    51..52  the destination's processor: its
//            rank is node · t + processor
//    53..63  link bits: 0 when injected; the carrier of the packet may use them
//
// The fields follow IBM's packet-layer header for the Blue Gene/L, with two differences. The
// destination is a number instead of coordinates, because six coordinates of extent 256 would not
// fit. The packet CRC and the link's sequence number belong to the 14 bytes that a link adds on the
// wire, not to the header in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "hal/check.hpp"
#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {

inline constexpr unsigned kChunkBytes = 32;
inline constexpr unsigned kMaxChunks = 8;
inline constexpr unsigned kHeaderBytes = 16;
inline constexpr unsigned kPayloadBytes = kMaxChunks * kChunkBytes - kHeaderBytes;

enum class VirtualChannel : std::uint8_t { dynamic0, dynamic1, bubble, priority };
inline constexpr unsigned kVirtualChannels = 4;
inline constexpr std::array<std::string_view, kVirtualChannels> kVirtualChannelNames = {"D0", "D1",
                                                                                        "BN", "BP"};

using HandlerId = std::uint16_t;

/// Number of chunks of a packet with this much payload: header and payload, rounded up to whole
/// chunks.
constexpr unsigned chunks_for(unsigned payload_bytes) {
  return (kHeaderBytes + payload_bytes + kChunkBytes - 1) / kChunkBytes;
}

/// Number of packets of a message of this many bytes; an empty message takes none.
constexpr std::uint64_t packets_for(std::uint64_t payload_bytes) {
  return payload_bytes / kPayloadBytes + (payload_bytes % kPayloadBytes != 0 ? 1 : 0);
}

/// The fields of a header, unpacked.
struct HeaderFields {
  Rank destination = 0;    ///< a node
  unsigned processor = 0;  ///< of the destination: 0..3
  DirectionSet hints;
  bool deposit = false;
  bool dynamic = true;
  VirtualChannel channel = VirtualChannel::dynamic0;
  unsigned chunks = 1;  ///< 1..8
  HandlerId handler = 0;
  unsigned payload_bytes = 0;  ///< 0..240
  DimensionOrder order = 0;    ///< the dimension order of a dynamic packet; 0 for any order
  std::uint32_t argument = 0;
  bool operator==(const HeaderFields&) const = default;
};

/// A header in memory and on links: two words, in the layout pictured above.
class PacketHeader {
 public:
  PacketHeader() = default;  ///< uninitialised, so that making arrays of packets costs nothing
  constexpr PacketHeader(std::uint64_t hardware, std::uint64_t software)
      : hardware_(hardware), software_(software) {}
  /// REQUIRES: fields within the ranges stated above.
  explicit constexpr PacketHeader(const HeaderFields& f)
      : hardware_(std::uint64_t{f.destination} | std::uint64_t{f.hints.bits()} << 32 |
                  std::uint64_t{f.deposit} << 44 | std::uint64_t{f.dynamic} << 45 |
                  std::uint64_t(f.channel) << 46 | std::uint64_t{f.chunks - 1} << 48 |
                  std::uint64_t{f.processor} << kFirstProcessorBit),
        software_(std::uint64_t{f.handler} | std::uint64_t{f.payload_bytes} << 16 |
                  std::uint64_t{f.order} << 24 | std::uint64_t{f.argument} << 32) {
    TOROID_CHECK_IN_CHECKED_BUILD(f.hints.bits() < 1u << kMaxLinks);
    TOROID_CHECK_IN_CHECKED_BUILD(1 <= f.chunks && f.chunks <= kMaxChunks);
    TOROID_CHECK_IN_CHECKED_BUILD(f.payload_bytes <= kPayloadBytes);
    TOROID_CHECK_IN_CHECKED_BUILD(f.processor < NodeRanks::kMost);
  }

  /// The node that the packet is for.
  constexpr Rank destination() const { return static_cast<Rank>(hardware_); }
  /// The processor of that node, if its ranks share it; otherwise 0.
  constexpr unsigned processor() const {
    return static_cast<unsigned>(hardware_ >> kFirstProcessorBit) & (NodeRanks::kMost - 1);
  }
  constexpr DirectionSet hints() const { return DirectionSet((hardware_ >> 32) & 0xfffu); }
  /// The packet may be put into an injection FIFO that serves one of these: its hints, or
  /// kHighPriority if it travels in the priority channel.
  constexpr DirectionSet fifo_directions() const {
    return channel() == VirtualChannel::priority ? kHighPriority : hints();
  }
  constexpr bool deposit() const { return ((hardware_ >> 44) & 1u) != 0; }
  constexpr bool dynamic() const { return ((hardware_ >> 45) & 1u) != 0; }
  constexpr VirtualChannel channel() const {
    return static_cast<VirtualChannel>((hardware_ >> 46) & 3u);
  }
  constexpr unsigned chunks() const { return static_cast<unsigned>((hardware_ >> 48) & 7u) + 1; }
  constexpr HandlerId handler() const { return static_cast<HandlerId>(software_); }
  constexpr unsigned payload_bytes() const {
    return static_cast<unsigned>((software_ >> 16) & 0xffu);
  }
  constexpr DimensionOrder order() const { return static_cast<DimensionOrder>(software_ >> 24); }
  constexpr std::uint32_t argument() const { return static_cast<std::uint32_t>(software_ >> 32); }

  /// The header with this order. REQUIRES: its order is still 0.
  constexpr PacketHeader with_order(DimensionOrder order) const {
    TOROID_CHECK_IN_CHECKED_BUILD(this->order() == 0);
    return {hardware_, software_ | std::uint64_t{order} << 24};
  }
  /// The header with this destination and these hints. REQUIRES: all are still 0.
  constexpr PacketHeader with_way(Rank node, DirectionSet hints, unsigned processor = 0) const {
    TOROID_CHECK_IN_CHECKED_BUILD(destination() == 0 && this->processor() == 0 &&
                                  this->hints().empty());
    return {hardware_ | std::uint64_t{node} | std::uint64_t{hints.bits()} << 32 |
                std::uint64_t{processor} << kFirstProcessorBit,
            software_};
  }
  /// The header with other hints.
  constexpr PacketHeader turned(DirectionSet hints) const {
    return {(hardware_ & ~(std::uint64_t{0xfff} << 32)) | std::uint64_t{hints.bits()} << 32,
            software_};
  }
  constexpr PacketHeader with_argument(std::uint32_t argument) const {
    return {hardware_, (software_ & 0xffffffffu) | std::uint64_t{argument} << 32};
  }

  constexpr std::uint64_t hardware_word() const { return hardware_; }
  constexpr std::uint64_t software_word() const { return software_; }
  HeaderFields fields() const;
  /// Ignores link bits, which software does not see.
  constexpr bool operator==(const PacketHeader& other) const {
    return ((hardware_ ^ other.hardware_) & ~kLinkBits) == 0 && software_ == other.software_;
  }

  /// The bits of the hardware word that hold the number of chunks.
  static constexpr std::uint64_t kLengthBits = std::uint64_t{7} << 48;
  static constexpr unsigned kFirstProcessorBit = 51;
  static constexpr unsigned kFirstLinkBit = 53;
  static constexpr std::uint64_t kLinkBits = ~std::uint64_t{0} << kFirstLinkBit;
  constexpr PacketHeader without_link_bits() const { return {hardware_ & ~kLinkBits, software_}; }
  /// The words themselves, for links that write a header word by word into memory that others read.
  std::uint64_t& hardware_word() { return hardware_; }
  std::uint64_t& software_word() { return software_; }

 private:
  std::uint64_t hardware_;
  std::uint64_t software_;
};

/// Bits that must be 0 when a packet is injected.
inline constexpr std::uint64_t kHardwareReserved = PacketHeader::kLinkBits;

/// Errors of a header. The hardware detects the first five after `none`.
enum class HeaderError : std::uint8_t {
  none,
  destination_out_of_range,
  both_hints_of_a_dimension,
  hint_disagrees_with_destination,
  dynamic_bit_disagrees_with_channel,
  bad_deposit,
  payload_longer_than_chunks,
  reserved_bits_set,
  bad_dimension_order,
  no_way_left,
};
inline constexpr std::array<std::string_view, 10> kHeaderErrorNames = {
    "none",
    "destination out of range",
    "both hints of a dimension",
    "hint disagrees with destination",
    "dynamic bit disagrees with channel",
    "bad deposit",
    "payload longer than chunks",
    "reserved bits set",
    "bad dimension order",
    "no way left",
};

/// Whether the header's order is 0, or is one of the orders of a dynamic packet.
constexpr bool has_valid_order(const PacketHeader& header, unsigned dims) {
  return header.order() == 0 || (header.dynamic() && header.order() <= dimension_orders(dims));
}

constexpr bool payload_fits(const PacketHeader& header) {
  return chunks_for(header.payload_bytes()) <= header.chunks();
}

/// The first error in the fields of a header other than destination and hints.
HeaderError validate_fields(const PacketHeader& header, const Shape& shape);

/// Checks the fields of headers. It remembers those of the last valid header, because consecutive
/// packets mostly differ only in destination and hints, and equal fields need no second check.
class CheckedFields {
 public:
  HeaderError check(const PacketHeader& header, const Shape& shape) {
    const std::uint64_t hardware = header.hardware_word() >> kHardwareFields;
    const auto software = static_cast<std::uint32_t>(header.software_word());
    if (hardware == hardware_ && software == software_) return HeaderError::none;
    const HeaderError error = validate_fields(header, shape);
    if (error != HeaderError::none) return error;
    hardware_ = static_cast<std::uint32_t>(hardware);
    software_ = software;
    return HeaderError::none;
  }

 private:
  static constexpr unsigned kHardwareFields = 44;  ///< first bit after destination and hints
  std::uint32_t hardware_ = ~std::uint32_t{0};     ///< matches no header: fields have 20 bits
  std::uint32_t software_ = 0;
};

/// The rank that a header's destination is in this shape: the node itself if nodes have one rank,
/// and on Shape::torus().
inline Rank rank_of(const PacketHeader& header, const Shape& shape) {
  const NodeRanks& ranks = shape.ranks();
  return ranks.are_shared() ? ranks.rank(header.destination(), header.processor())
                            : header.destination();
}

/// The first error in the destination or hints of a header that is about to be injected at `here`.
/// If there is none, `route` becomes the route that its hints describe.
HeaderError validate_way(const PacketHeader& header, const Shape& shape, const Coord& here,
                         Route& route);

/// The first error in a header that is about to be injected at `here`. If there is none, `route`
/// becomes the route that its hints describe.
HeaderError validate(const PacketHeader& header, const Shape& shape, const Coord& here,
                     Route& route);

/// Throws RunFailed, which names the handler of the packet and both sizes.
[[noreturn]] void refuse_short_payload(const PacketHeader& header, std::size_t wanted);

struct alignas(64) Packet {
  PacketHeader header;
  std::array<std::byte, kPayloadBytes> payload;

  std::span<const std::byte> bytes() const {
    return std::span(payload).first(header.payload_bytes());
  }

  /// The beginning of the payload as a value. Throws RunFailed if the payload is shorter than the
  /// value.
  template <typename T>
  requires std::is_trivially_copyable_v<T> T as()
  const {
    if (sizeof(T) > header.payload_bytes()) [[unlikely]]
      refuse_short_payload(header, sizeof(T));
    T value;
    std::memcpy(&value, payload.data(), sizeof(T));
    return value;
  }
};

/// Copies up to one packet's payload. A full payload, by far the most frequent, is copied inline.
inline void copy_payload(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == kPayloadBytes)
    std::memcpy(to, from, kPayloadBytes);
  else if (bytes > 0)
    std::memcpy(to, from, bytes);
}

static_assert(sizeof(PacketHeader) == kHeaderBytes);
static_assert(sizeof(Packet) == kMaxChunks * kChunkBytes);
static_assert(alignof(Packet) == 64);
static_assert(std::is_trivial_v<Packet>);

}  // namespace toroid
