// The frame that travels between two processes: packets, parts of puts, and credits of the torus
// route's links.
//
//   byte 0        64                     64·n                                            bytes
//        +--------+----------+----------+------------------+----------------------------+
//        | header | packet 0 | part 0 | ...                | runs, 8 B each | credits, 16 B each |
//        +--------+----------+----------+------------------+----------------------------+
//
// A packet takes its header and payload, rounded up to 64 bytes, so that it can be delivered in
// place; a full packet takes 256 bytes. A part takes a PartHeader and its bytes, rounded up to 64
// bytes. A run names the destination of one part, or of one or more consecutive packets. A credit
// says which slots of a link's ring are free again. Both ends must have the same byte order; the
// magic number reveals a difference.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hal/packet.hpp"

namespace toroid::ofi {

struct FrameHeader {
  std::uint32_t magic;
  std::uint32_t source;    ///< process that sends the frame
  std::uint64_t token;     ///< proof of the job key; see FlowIdentity
  std::uint64_t sequence;  ///< number of the frame in its flow, from 1; 0 if it only acknowledges
  std::uint64_t received;  ///< total number of frames of the other direction that have arrived
  std::uint64_t freed;     ///< total number of frames of the other direction that have been freed
  std::uint32_t bytes;     ///< length of the frame
  std::uint16_t runs;      ///< number of runs
  std::uint16_t credits;   ///< number of credits
  /// Bit i is set if frame received + 2 + i of the other direction has arrived, although frame
  /// received + 1 is missing. 0 if links are not checked (FlowLimits::checked).
  std::uint32_t held;
  std::uint32_t flags;     ///< kRefusedDamage and kAsks; always 0 if `sequence` is not 0
  std::uint32_t reserved;  ///< 0
  std::uint32_t crc;       ///< CRC-32C of everything else
};
inline constexpr std::uint32_t kFrameMagic = 0x546f7231;  // "Tor1"
/// Flag: the sender of this header has refused a damaged frame of the other direction.
inline constexpr std::uint32_t kRefusedDamage = 1;
/// Flag: the sender of this header asks for an acknowledgement.
inline constexpr std::uint32_t kAsks = 2;

/// Consecutive packets that go to one node, or through one channel of a link.
struct PacketRun {
  /// Direct route: the node; torus route: BoundaryLinks::number() of the link.
  std::uint32_t target;
  std::uint16_t packets;
  /// Torus route: the virtual channel; direct route: 0, or kPartChannel for a part.
  std::uint16_t channel;
};
/// The channel that marks a run as one part instead of packets.
inline constexpr std::uint16_t kPartChannel = UINT16_MAX;

/// Content of a part.
enum class PartKind : std::uint16_t {
  packed,  ///< the bytes of a put follow, as PayloadSource::pack() wrote them
  offer,   ///< the bytes can be read remotely; a PartOffer and the label of its PutOffer follow
  done,    ///< the bytes have been read; the number of the offer follows, 4 bytes
};
inline constexpr std::uint16_t kPartKinds = 3;

/// The header of a part, which stands for consecutive packets of a message that moves by put.
struct PartHeader {
  std::uint32_t origin;   ///< as in PutDescriptor
  std::uint32_t first;    ///< number of the first packet within the message
  std::uint32_t packets;  ///< at least 1
  std::uint32_t bytes;    ///< bytes that follow: 1 to packets · kPayloadBytes
  HandlerId window;       ///< handler of the receiver
  PartKind kind;
  std::array<std::uint32_t, 3> reserved;
};

/// Where the bytes of an offered put can be read. In the frame, PutOffer::label follows.
struct PartOffer {
  std::uint64_t address;  ///< as in Exposed
  std::uint64_t key;      ///< as in Exposed
  std::uint64_t bytes;    ///< length of the memory
  std::uint32_t from;     ///< the node that offers the put
  std::uint32_t number;   ///< the sender's number of the offer; the part `done` returns it
};

/// Tells the sender of a link how many packets have left the link's ring: their slots are free
/// again.
struct LinkCredit {
  std::uint32_t link;  ///< BoundaryLinks::number()
  std::uint32_t reserved;
  std::uint64_t popped;  ///< packets that have left each channel so far, as a ChannelCounts word
};

inline constexpr std::size_t kFrameAlignment = 64;
static_assert(sizeof(FrameHeader) == kFrameAlignment);
static_assert(sizeof(PacketRun) == 8 && sizeof(LinkCredit) == 16 && sizeof(PartHeader) == 32 &&
              sizeof(PartOffer) == 32);

constexpr std::size_t aligned_in_frame(std::size_t bytes) {
  return (bytes + kFrameAlignment - 1) & ~(kFrameAlignment - 1);
}
/// Number of bytes that a packet with this payload takes in a frame.
constexpr std::size_t framed_bytes(unsigned payload_bytes) {
  return aligned_in_frame(kHeaderBytes + payload_bytes);
}
/// Number of bytes that a part takes in a frame.
constexpr std::size_t framed_bytes(const PartHeader& part) {
  return aligned_in_frame(sizeof(PartHeader) + part.bytes);
}

/// Why an arriving frame is refused.
enum class FrameError : std::uint8_t {
  none,
  malformed,  ///< it is not a frame, or its parts do not fit together
  wrong_job,  ///< its sender does not hold this job's key
  bad_checksum,
  wrong_sequence,  ///< its number has been seen before, or lies beyond the window
  bad_packet,      ///< the header of a packet is malformed
  bad_part,        ///< the header of a part is malformed, or the route does not use parts
};
inline constexpr std::array<std::string_view, 7> kFrameErrorNames = {"none",
                                                                     "malformed",
                                                                     "wrong job",
                                                                     "bad checksum",
                                                                     "wrong sequence number",
                                                                     "malformed packet",
                                                                     "malformed part"};

/// What the checksum of a frame covers.
enum class CrcScope : std::uint8_t {
  whole,   ///< everything
  tables,  ///< only header and tables; used if frames never leave the host's memory
};

/// CRC-32C of the frame without the field FrameHeader::crc. REQUIRES: the frame has a whole header
/// and is long enough for the tables that the header announces.
std::uint32_t frame_crc(std::span<const std::byte> frame, CrcScope scope = CrcScope::whole);

/// The parts of a frame, in its buffer.
struct FrameView {
  FrameHeader header;
  std::span<const PacketRun> runs;
  std::span<const LinkCredit> credits;
  const std::byte* packets;
};

/// The frame at the beginning of a buffer, with the length that its header states, limited to the
/// buffer.
std::span<const std::byte> frame_in(std::span<const std::byte> buffer);

/// Checks a frame, except for its token, its sequence number and the headers of its packets and
/// parts. Sets `view`.
FrameError parse(std::span<const std::byte> bytes, FrameView& view,
                 CrcScope scope = CrcScope::whole);
/// Whether the part at `at` has a valid header and ends before the frame's tables, which begin at
/// `end`.
bool part_fits(const std::byte* at, const std::byte* end);
/// Checks three things: every run has at least one packet, or exactly one part; packets and parts
/// exactly fill the space between the frame's header and its tables; and `valid(run, header)` holds
/// for the header of each packet and of each part.
template <typename Valid>
FrameError check_packets(const FrameView& view, const Valid& valid);

/// Writes a frame into a buffer that is aligned to 64 bytes.
class FrameWriter {
 public:
  FrameWriter() = default;
  explicit FrameWriter(std::span<std::byte> buffer, CrcScope scope = CrcScope::whole)
      : buffer_(buffer), scope_(scope) {}

  bool has_buffer() const { return !buffer_.empty(); }
  std::span<std::byte> buffer() const { return buffer_; }
  bool empty() const { return runs_.empty() && credits_.empty(); }
  /// Packets in the frame; a part counts as one.
  std::uint64_t packets() const {
    std::uint64_t sum = 0;
    for (const PacketRun& run : runs_) sum += run.packets;
    return sum;
  }
  /// Number of full packets that fit even if each needs a new run.
  std::uint32_t room() const {
    const std::size_t used = end_ + tables();
    if (used >= buffer_.size() || runs_.size() + kSpareRuns > UINT16_MAX) return 0;
    const std::size_t packets = (buffer_.size() - used) / (sizeof(Packet) + sizeof(PacketRun));
    return static_cast<std::uint32_t>(std::min(packets, kSpareRuns));
  }
  /// Number of full packets that fit as one part.
  std::uint32_t part_room() const {
    const std::size_t tables_end = tables() + sizeof(PacketRun);
    if (tables_end >= buffer_.size() || runs_.size() == UINT16_MAX) return 0;
    const std::size_t limit = (buffer_.size() - tables_end) & ~(kFrameAlignment - 1);
    const std::size_t begin = end_ + sizeof(PartHeader);
    return begin >= limit ? 0 : static_cast<std::uint32_t>((limit - begin) / kPayloadBytes);
  }
  bool has_room_for_credit() const {
    return end_ + tables() + sizeof(LinkCredit) <= buffer_.size() && credits_.size() < UINT16_MAX;
  }

  /// The place of the next packet. REQUIRES: room() > 0.
  Packet& claim() const { return *reinterpret_cast<Packet*>(buffer_.data() + end_); }
  /// Writes the header of the packet that was claimed last. This completes the packet.
  void commit(std::uint32_t target, std::uint16_t channel, const PacketHeader& header) {
    claim().header = header;
    end_ += framed_bytes(header.payload_bytes());
    if (runs_.empty() || runs_.back().target != target || runs_.back().channel != channel ||
        runs_.back().packets == UINT16_MAX)
      runs_.push_back({target, 0, channel});
    ++runs_.back().packets;
  }
  /// The place of the bytes of the next part. REQUIRES: packets <= part_room().
  std::span<std::byte> claim_part(std::uint32_t packets) const {
    return buffer_.subspan(end_ + sizeof(PartHeader), std::size_t{packets} * kPayloadBytes);
  }
  /// Writes the header of the part that was claimed last. This completes the part.
  void commit_part(std::uint32_t target, const PartHeader& part) {
    *reinterpret_cast<PartHeader*>(buffer_.data() + end_) = part;
    end_ += framed_bytes(part);
    runs_.push_back({target, 1, kPartChannel});
  }
  /// Adds a credit to the frame. REQUIRES: has_room_for_credit().
  void add_credit(std::uint32_t link, std::uint64_t popped) {
    credits_.push_back({link, 0, popped});
  }

  /// Writes the tables and the header, fills in the header's magic, bytes, runs, credits and CRC,
  /// and returns the frame. Afterwards the writer has no buffer.
  std::span<const std::byte> finish(FrameHeader header);

 private:
  static constexpr std::size_t kSpareRuns = 4096;

  std::size_t tables() const {
    return runs_.size() * sizeof(PacketRun) + credits_.size() * sizeof(LinkCredit);
  }

  std::span<std::byte> buffer_;
  CrcScope scope_ = CrcScope::whole;
  std::size_t end_ = sizeof(FrameHeader);  ///< end of the packets and parts
  std::vector<PacketRun> runs_;
  std::vector<LinkCredit> credits_;
};

/// The packet at a place in a frame.
inline const Packet& packet_at(const std::byte* place) {
  return *reinterpret_cast<const Packet*>(place);
}
/// The part at a place in a frame; its bytes follow.
inline const PartHeader& part_at(const std::byte* place) {
  return *reinterpret_cast<const PartHeader*>(place);
}
inline std::span<const std::byte> bytes_of(const PartHeader& part) {
  return {reinterpret_cast<const std::byte*>(&part + 1), part.bytes};
}

template <typename Valid>
FrameError check_packets(const FrameView& view, const Valid& valid) {
  const std::byte* at = view.packets;
  const auto* const end = reinterpret_cast<const std::byte*>(view.runs.data());
  for (const PacketRun& run : view.runs) {
    if (run.packets == 0) return FrameError::malformed;  // an empty run's target is not checked
    if (run.channel == kPartChannel) {
      if (run.packets > 1 || !part_fits(at, end) || !valid(run, part_at(at)))
        return FrameError::bad_part;
      at += framed_bytes(part_at(at));
      continue;
    }
    for (unsigned i = 0; i < run.packets; ++i) {
      if (at >= end) return FrameError::malformed;
      const PacketHeader& header = packet_at(at).header;
      if (!payload_fits(header) || !valid(run, header)) return FrameError::bad_packet;
      at += framed_bytes(header.payload_bytes());
    }
  }
  return at == end ? FrameError::none : FrameError::malformed;
}

}  // namespace toroid::ofi
