// What identifies a message: the envelope that each of its packets carries.
#pragma once

#include <cstdint>

#include "hal/packet.hpp"
#include "hal/shape.hpp"

namespace toroid {

using MessageTag = std::uint16_t;
/// The number of a communicator: messages of one are never received in another.
using Communicator = std::uint16_t;

// Wildcards of a receive for source and tag; no message has these values.
inline constexpr Rank kAnySource = ~Rank{0};
inline constexpr MessageTag kAnyTag = 0xffff;

/// The first bytes of every packet. Packets overtake one another, so each carries the envelope.
struct MessageEnvelope {
  Rank source;
  std::uint32_t number;  ///< number among the messages from this source to this node, from 0
  std::uint32_t bytes;   ///< length of the whole message
  MessageTag tag;
  Communicator communicator;
};
static_assert(sizeof(MessageEnvelope) == 16);

/// Bytes of a message that a full packet carries.
inline constexpr unsigned kMessageBytesPerPacket = kPayloadBytes - sizeof(MessageEnvelope);

}  // namespace toroid
