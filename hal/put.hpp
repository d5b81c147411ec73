// Direct put: the bytes of a message move once, from the sender's array to their places at the
// receiver. If sender and receiver share memory, only a descriptor travels, and the receiver copies
// the bytes. If they do not, the receiver's network card reads the bytes from the sender's array,
// provided that they form long stretches at both ends; otherwise the sender packs the bytes,
// thousands at a time, and the receiver unpacks them.
//
// Source of the idea: the DMA engine of Blue Gene/P, whose descriptors of 32 bytes name a source, a
// window at the destination and a counter at either end. Here the receiver takes the engine's
// place. Both ends can compute from a packet's number where its bytes belong. So a descriptor names
// packets, not addresses, and nothing outside the receiver's own window can be written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"

namespace toroid {

class PayloadSource;

/// How the messages for a node may move by put.
enum class PutReach : std::uint8_t {
  none,    ///< not at all: they go in packets
  shared,  ///< only a descriptor travels; the receiver copies from the sender's array
  packed,  ///< the sender packs and the receiver unpacks, or the receiver reads remotely
};

/// The stage of a put that is handed to a node.
enum class PutStage : std::uint16_t {
  shared,   ///< its bytes are in the sender's array, which the receiver can read
  packed,   ///< its bytes have arrived packed
  offered,  ///< its bytes can be read remotely; the receiver now says where they go
  landed,   ///< its bytes have been read remotely and are at their places
};

/// A sender's offer to let the receiver read the bytes of a put remotely.
struct PutOffer {
  static constexpr std::size_t kMostLabel = 40;  // bytes

  std::span<const std::byte> memory;  ///< holds all bytes of the put; empty if nothing is offered
  std::array<std::byte, kMostLabel> label{};  ///< information for the receiver's handler
  std::uint32_t label_bytes = 0;
};

/// Bytes of a message that are contiguous at both ends.
struct PutStretch {
  std::uint64_t from;  ///< offset in the memory that the sender offers
  std::span<std::byte> to;
};

/// Number of bytes of all stretches together.
inline std::uint64_t total_of(std::span<const PutStretch> landing) {
  std::uint64_t bytes = 0;
  for (const PutStretch& stretch : landing) bytes += stretch.to.size();
  return bytes;
}

/// Describes a part of one message that moves by put. Plain data, 56 bytes.
///
/// **Protocol:** the sender's fabric hands the descriptor to the receiver's node, which copies the
/// bytes (remote completion). Then the descriptor comes back, and PayloadSource::put_done() tells
/// its source (local completion). Until then the sender must neither change nor free `array`, even
/// if its program fails.
///
/// **Packed:** the sender's source packs its bytes (PayloadSource::pack()) and has its local
/// completion when the last of them are packed. The receiver gets a descriptor of each part that
/// arrives. In it, `array` points to the packed bytes, `from` is a node of the receiver's process,
/// and `source` belongs to the receiver's fabric.
///
/// **Offered:** the sender's source names the memory that holds the bytes (PayloadSource::offer())
/// and must not change it until its local completion. The receiver gets a descriptor twice. The
/// first has stage `offered`; the receiver then adds to `landing` the stretches where the bytes go.
/// The second has stage `landed` and comes when the bytes have arrived. In both, `array` points to
/// the offer's label.
struct PutDescriptor {
  Rank from;         ///< the node in whose memory `array` lies
  Rank to;           ///< the receiver
  HandlerId window;  ///< handler of the receiver, which knows where the bytes go
  PutStage stage = PutStage::shared;
  std::uint32_t origin;            ///< the sender's number, as `window` numbers its senders
  std::uint32_t first;             ///< number, within the message, of the put's first packet
  std::uint32_t packets;           ///< number of packets of the message in the put
  std::uint32_t packed_bytes = 0;  ///< bytes of packed data, or of the label, at `array`
  const std::byte* array;          ///< beginning of the message's source array
  PayloadSource* source;           ///< gets the local completion, on the sender's thread
  std::vector<PutStretch>* landing = nullptr;  ///< for an offered put; owned by the fabric

  std::span<const std::byte> packed() const { return {array, packed_bytes}; }
};
static_assert(std::is_trivially_copyable_v<PutDescriptor> && sizeof(PutDescriptor) == 56);

}  // namespace toroid
