// Direct put: the bytes of a message move once, from the array where they stand at the sender to
// their places at the receiver. What travels is a descriptor. Where the two share no memory, the
// sender packs the bytes and the receiver unpacks them, thousands at a time.
//
// Source of the idea: the DMA engine of Blue Gene/P, whose descriptors of 32 bytes name a source, a
// window at the destination and a counter at either end. Here the engine's part is the receiver's:
// it has the same geometry as the sender, so that a descriptor names a part of a message by its
// packets, and no place outside the receiver's own window can be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hal/packet.hpp"
#include "hal/shape.hpp"

namespace toroid {

class PayloadSource;

/// How the messages for a node may move by put.
enum class PutReach : std::uint8_t {
  none,    ///< not at all: they go in packets
  shared,  ///< a descriptor goes, and the receiver copies from the sender's array
  packed,  ///< the sender packs, the bytes travel, the receiver unpacks
};

/// A part of one message that moves by put. It is plain data, 48 bytes.
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
struct PutDescriptor {
  Rank from;                       ///< the node in whose memory `array` lies
  Rank to;                         ///< the receiver
  HandlerId window;                ///< handler of the receiver, which knows where the bytes go
  std::uint32_t origin;            ///< the sender, as the window counts its senders
  std::uint32_t first;             ///< number in the message of the first packet that it stands for
  std::uint32_t packets;           ///< packets of the message that it stands for
  std::uint32_t packed_bytes = 0;  ///< that stand packed at `array`; 0: they are not packed
  const std::byte* array;          ///< where the message's source begins
  PayloadSource* source;           ///< is told of the local completion, on the sender's thread

  bool is_packed() const { return packed_bytes > 0; }
};
static_assert(std::is_trivially_copyable_v<PutDescriptor> && sizeof(PutDescriptor) == 48);

}  // namespace toroid
