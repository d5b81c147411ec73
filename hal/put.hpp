// Direct put: the bytes of a message move once, from the array where they stand at the sender to
// their places at the receiver. What travels is a descriptor. Where the two share no memory, the
// receiver's network card reads them from the sender's array, if they stand in long stretches at
// both ends; else the sender packs the bytes and the receiver unpacks them, thousands at a time.
//
// Source of the idea: the DMA engine of Blue Gene/P, whose descriptors of 32 bytes name a source, a
// window at the destination and a counter at either end. Here the engine's part is the receiver's:
// it has the same geometry as the sender, so that a descriptor names a part of a message by its
// packets, and no place outside the receiver's own window can be written.
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
  shared,  ///< a descriptor goes, and the receiver copies from the sender's array
  packed,  ///< the sender packs, the bytes travel, the receiver unpacks; or it reads them
};

/// How far a put is that a node is handed.
enum class PutStage : std::uint16_t {
  shared,   ///< its bytes stand in the sender's array, which the receiver can read
  packed,   ///< they have come, and stand packed
  offered,  ///< they can be read from afar: the receiver says where they go
  landed,   ///< they have been read, and stand where they go
};

/// What the sender of a put offers to be read from afar.
struct PutOffer {
  static constexpr std::size_t kMostLabel = 40;  // bytes

  std::span<const std::byte> memory;  ///< holds all bytes of the put; empty: nothing is offered
  std::array<std::byte, kMostLabel> label{};  ///< what the receiver's handler needs to know
  std::uint32_t label_bytes = 0;
};

/// Bytes of a message that are contiguous at both ends.
struct PutStretch {
  std::uint64_t from;  ///< where they stand at the sender, from the begin of what it offers on
  std::span<std::byte> to;
};

/// Bytes of all stretches.
inline std::uint64_t total_of(std::span<const PutStretch> landing) {
  std::uint64_t bytes = 0;
  for (const PutStretch& stretch : landing) bytes += stretch.to.size();
  return bytes;
}

/// A part of one message that moves by put. It is plain data, 56 bytes.
///
/// **Protocol:** the sender's fabric hands it to the receiver's node, which copies (remote
/// completion). Then it comes back, and PayloadSource::put_done() says so to its source (local
/// completion). In between the sender leaves `array` as it is, and does not free it even if its
/// program fails.
///
/// **Packed:** the sender's source packs its bytes (PayloadSource::pack()) and has its local
/// completion when the last are packed. The receiver gets descriptors of the parts that came,
/// whose `array` is where they stand packed; `from` is then a node of its own process, and `source`
/// its fabric's.
///
/// **Offered:** the sender's source names the memory that holds the bytes (PayloadSource::offer())
/// and leaves it as it is until its local completion. The receiver gets a descriptor twice:
/// offered, when it adds the stretches to `landing`; and landed, when the bytes are there. `array`
/// is then where the offer's label stands.
struct PutDescriptor {
  Rank from;         ///< the node in whose memory `array` lies
  Rank to;           ///< the receiver
  HandlerId window;  ///< handler of the receiver, which knows where the bytes go
  PutStage stage = PutStage::shared;
  std::uint32_t origin;            ///< the sender, as the window counts its senders
  std::uint32_t first;             ///< number in the message of the first packet that it stands for
  std::uint32_t packets;           ///< packets of the message that it stands for
  std::uint32_t packed_bytes = 0;  ///< that stand packed at `array`, or of the label there
  const std::byte* array;          ///< where the message's source begins
  PayloadSource* source;           ///< is told of the local completion, on the sender's thread
  std::vector<PutStretch>* landing = nullptr;  ///< of an offered put: belongs to the fabric

  std::span<const std::byte> packed() const { return {array, packed_bytes}; }
};
static_assert(std::is_trivially_copyable_v<PutDescriptor> && sizeof(PutDescriptor) == 56);

}  // namespace toroid
