// The frame: what travels between two processes. Many packets, and what the torus route has to say
// of its links.
//
//   byte 0        64                     64·n                                            bytes
//        +--------+----------+----------+------------------+----------------------------+
//        | header | packet 0 | packet 1 ...                | runs, 8 B each | returns, 16 B each |
//        +--------+----------+----------+------------------+----------------------------+
//
// A packet takes its header and payload, rounded up to 64 bytes, so that it can be handed over
// where it lies: a full one is 256 bytes. A run says where so many packets in a row go. A return
// says which slots of a link's ring are free again. Both ends have the same byte order, which the
// magic number shows.
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
  std::uint32_t source;    ///< process
  std::uint64_t token;     ///< proof of the run's key; see FlowIdentity
  std::uint64_t sequence;  ///< of this pair of processes, from 1; 0: it only acknowledges
  std::uint64_t received;  ///< frames of the receiver that have arrived here, in all
  std::uint64_t freed;     ///< frames of the receiver whose buffers are free again, in all
  std::uint32_t bytes;     ///< of the frame
  std::uint16_t runs;
  std::uint16_t returns;
  std::array<std::uint32_t, 3> reserved;  ///< 0
  std::uint32_t crc;                      ///< CRC-32C of everything else
};
inline constexpr std::uint32_t kFrameMagic = 0x546f7231;  // "Tor1"

/// So many packets in a row go to a node, or through a channel of a link.
struct Run {
  std::uint32_t port;  ///< direct: the node; torus: node downstream · links + direction travelling
  std::uint16_t packets;
  std::uint16_t channel;  ///< torus: the virtual channel; direct: 0
};

/// The counts of packets taken out of a link's ring.
struct Return {
  std::uint32_t port;  ///< as in Run
  std::uint32_t reserved;
  std::uint64_t popped;  ///< a ChannelCounts word
};

inline constexpr std::size_t kFrameAlignment = 64;
static_assert(sizeof(FrameHeader) == kFrameAlignment);
static_assert(sizeof(Run) == 8 && sizeof(Return) == 16);

/// Bytes that a packet with so much payload takes in a frame.
constexpr std::size_t framed_bytes(unsigned payload_bytes) {
  return (kHeaderBytes + payload_bytes + kFrameAlignment - 1) & ~(kFrameAlignment - 1);
}

/// What is wrong with what arrived.
enum class FrameError : std::uint8_t {
  none,
  malformed,  ///< no frame, or its parts do not fit together
  wrong_job,  ///< its sender does not hold this run's key
  bad_checksum,
  wrong_sequence,  ///< seen before, or from beyond the window
  bad_packet,      ///< a packet's header is malformed
};
inline constexpr std::array<std::string_view, 6> kFrameErrorNames = {
    "none", "malformed", "wrong job", "bad checksum", "wrong sequence number", "malformed packet"};

/// CRC-32C of the frame but for its header's last field. REQUIRES: at least a header.
std::uint32_t frame_crc(std::span<const std::byte> frame);

/// The parts of a frame. They lie in its buffer.
struct FrameView {
  FrameHeader header;
  std::span<const Run> runs;
  std::span<const Return> returns;
  const std::byte* packets;
};

/// Looks at what arrived: everything but token, sequence and the packets' headers.
FrameError parse(std::span<const std::byte> bytes, FrameView& view);
/// Looks at the packets' headers: every run has some, each is what `valid(run, header)` says, and
/// they fill the space up.
template <typename Valid>
FrameError check_packets(const FrameView& view, const Valid& valid);

/// Fills a buffer, aligned to 64 bytes, with a frame.
class FrameWriter {
 public:
  FrameWriter() = default;
  explicit FrameWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  bool has_buffer() const { return !buffer_.empty(); }
  std::span<std::byte> buffer() const { return buffer_; }
  bool empty() const { return runs_.empty() && returns_.empty(); }
  /// Full packets that fit, were each a run of its own.
  std::uint32_t room() const {
    const std::size_t used = end_ + tables();
    if (used >= buffer_.size() || runs_.size() + kSpareRuns > UINT16_MAX) return 0;
    const std::size_t packets = (buffer_.size() - used) / (sizeof(Packet) + sizeof(Run));
    return static_cast<std::uint32_t>(std::min(packets, kSpareRuns));
  }
  bool has_room_for_return() const {
    return end_ + tables() + sizeof(Return) <= buffer_.size() && returns_.size() < UINT16_MAX;
  }

  /// Where the next packet is to be written. REQUIRES: room().
  Packet& claim() const { return *reinterpret_cast<Packet*>(buffer_.data() + end_); }
  /// The packet claimed last is complete but for its header.
  void commit(std::uint32_t port, std::uint16_t channel, const PacketHeader& header) {
    claim().header = header;
    end_ += framed_bytes(header.payload_bytes());
    if (runs_.empty() || runs_.back().port != port || runs_.back().channel != channel ||
        runs_.back().packets == UINT16_MAX)
      runs_.push_back({port, 0, channel});
    ++runs_.back().packets;
  }
  /// REQUIRES: has_room_for_return().
  void add_return(std::uint32_t port, std::uint64_t popped) {
    returns_.push_back({port, 0, popped});
  }

  /// Puts tables and header in place, fills in the latter's magic, bytes, runs, returns and
  /// checksum, and gives the frame's bytes. The writer needs a new buffer then.
  std::span<const std::byte> finish(FrameHeader header);

 private:
  static constexpr std::size_t kSpareRuns = 4096;

  std::size_t tables() const {
    return runs_.size() * sizeof(Run) + returns_.size() * sizeof(Return);
  }

  std::span<std::byte> buffer_;
  std::size_t end_ = sizeof(FrameHeader);  ///< of the packets
  std::vector<Run> runs_;
  std::vector<Return> returns_;
};

/// Where the packets of a frame lie.
inline const Packet& packet_at(const std::byte* place) {
  return *reinterpret_cast<const Packet*>(place);
}

template <typename Valid>
FrameError check_packets(const FrameView& view, const Valid& valid) {
  const std::byte* at = view.packets;
  const auto* const end = reinterpret_cast<const std::byte*>(view.runs.data());
  for (const Run& run : view.runs) {
    if (run.packets == 0) return FrameError::malformed;  // whose port nobody would look at
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
