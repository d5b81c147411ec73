// The state of one router of the fast model: a single record, including its packets.
#pragma once

#include <array>
#include <cstdint>

#include "hal/packet.hpp"
#include "router/rules/fullest.hpp"
#include "router/sim/lean/packet_word.hpp"

namespace toroid::sim::lean {

inline constexpr unsigned kMostInputs = 32;   ///< channels and injection FIFOs of a router
inline constexpr unsigned kMostChunks = 255;  ///< most chunks of a buffer

/// One direction of a link, as its sender sees it.
struct Link {
  std::array<std::uint8_t, kVirtualChannels> tokens{};  ///< at most kMostChunks
  std::uint32_t sent_crc = 0;                           ///< this and `sound` are the SendingEnd of
                                                        ///< LinkRetransmission
  std::array<std::uint32_t, kVirtualChannels> packets{};
  std::uint64_t busy : 1 = 0;
  std::uint64_t sound : 16 = 0;
  std::uint64_t chunks : 47 = 0;  ///< chunks that have crossed the link
};
static_assert(sizeof(Link) == 32);

/// The packets of one input: the first four are stored here, others in OverflowQueues. One byte:
/// index of the first : 2 | packets here : 3 | chunks of the first packet, if exposed, minus 1 : 3
struct QueueState {
  std::uint8_t bits = 0;
  unsigned first() const { return bits & 3u; }
  unsigned count() const { return bits >> 2 & 7u; }
  unsigned chunks() const { return (bits >> 5) + 1u; }
};

/// The requests of a packet with a given rule and minimal directions left; fits in one cache line.
struct alignas(64) RequestRow {
  std::array<std::uint32_t, 2 * kMostLinks> words{};  ///< all bits are set in a word if the
                                                      ///< packet's input gets a bit in this word of
                                                      ///< RouterRecord::requests
  std::uint32_t links = 0;                            ///< links it may take, by any channel
};

struct alignas(64) RouterRecord {
  static constexpr unsigned kPlaces = 4;  ///< packets of an input stored here
  static constexpr unsigned kTouchReception = 1u << 15;

  /// Per link: first the inputs (as bits) whose head may take its dynamic channels, then the inputs
  /// whose head may take its bubble channel.
  std::array<std::uint32_t, 2 * kMostLinks> requests{};
  std::uint32_t at_destination = 0;  ///< inputs whose head is for this node's processor
  std::uint32_t reading = 0;         ///< inputs with a packet on its way out
  std::uint32_t overflowing = 0;     ///< inputs with packets that are not stored here
  std::uint16_t touched = 0;         ///< links (and kTouchReception) for arbitration to look at
  std::uint8_t idle = 0;             ///< links that could start a packet

  alignas(64) FillLevels used{};  ///< chunks, including packets being read
  std::array<QueueState, kMostInputs> queues{};
  std::array<Link, kMostLinks> links{};
  std::array<std::array<PacketWord, kPlaces>, kMostInputs> packets{};

  /// Returns bit `link` if some head wants that link, otherwise 0.
  unsigned wanted_bit(unsigned link) const {
    return static_cast<unsigned>((requests[link] | requests[kMostLinks + link]) != 0) << link;
  }
  PacketWord head(unsigned input) const { return packets[input][queues[input].first()]; }
  /// Begins to read the head of an input: removes it from its queue.
  void start_reading(unsigned input) {
    const unsigned bits = queues[input].bits;
    queues[input].bits = static_cast<std::uint8_t>(((bits - 4u) & 0x1cu) | ((bits + 1u) & 3u));
    reading |= 1u << input;
  }
};
static_assert(sizeof(RouterRecord) == 1344 && sizeof(FillLevels) == kMostInputs);

}  // namespace toroid::sim::lean
