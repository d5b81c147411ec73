// The state of one router of the model: its queues, its links, and which head wants which link.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/flight.hpp"

namespace toroid::sim {

/// Takes the lowest bit out of a set of indices.
template <typename Mask>
unsigned pop_lowest(Mask& mask) {
  const auto index = static_cast<unsigned>(std::countr_zero(mask));
  mask = static_cast<Mask>(mask & (mask - 1));
  return index;
}

/// A FIFO of flights in front of a router: an input channel or an injection FIFO. A packet leaves
/// through the FIFO's one read port, so that the next is considered only when its tail has gone.
struct SourceQueue {
  FlightId head = kNoFlight;
  FlightId tail = kNoFlight;
  std::uint16_t used = 0;    ///< chunks, including those of the packet being read
  bool reading : 1 = false;  ///< the packet that was the head last is on its way out
  // Copies from the head's flight, once it is exposed: choosing among heads touches no flight.
  bool high_priority : 1 = false;
  std::uint8_t chunks = 0;
  DirectionSet directions;
  DirectionSet dynamic;

  RoutedPacket routed() const { return {directions, dynamic, chunks, high_priority}; }
  bool has_waiting_head() const { return head != kNoFlight && !reading; }
};
static_assert(sizeof(SourceQueue) == 16);

/// One direction of a link, as its sender sees it: four of them to a cache line.
struct OutputLink {
  Rank neighbour = kNone;  ///< the router downstream, by its rank in the whole machine
  Tokens tokens{};
  std::uint8_t turn = 0;  ///< where the round robin goes on (transit_first off)

  static constexpr Rank kNone = ~Rank{0};
};
static_assert(sizeof(OutputLink) == 16);

/// Links of the usual torus, whose requests are toggled without branches.
inline constexpr unsigned kRow = 6;
static_assert(kMaxLinks == 2 * kRow);

/// [set of links][link]: all bits of a word if the link is in the set, else none.
inline constexpr auto kRowOf = [] {
  std::array<std::array<std::uint64_t, kRow>, 1u << kRow> rows{};
  for (unsigned set = 0; set < rows.size(); ++set)
    for (unsigned l = 0; l < kRow; ++l) rows[set][l] = (set >> l & 1u) != 0 ? ~std::uint64_t{0} : 0;
  return rows;
}();

/// Toggles a bit in the words of a set of links. The set's size is hard to predict, so there are no
/// branches: all words of the row are written, also those beyond the last link.
inline void toggle_row(std::uint64_t* __restrict words, unsigned set, std::uint64_t bit) {
  const auto& row = kRowOf[set];
  for (unsigned l = 0; l < kRow; ++l) words[l] ^= row[l] & bit;
}

/// The channels of an input port, as a set of sources.
constexpr std::uint64_t input_channels(unsigned port) {
  return ((std::uint64_t{1} << kVirtualChannels) - 1) << (port * kVirtualChannels);
}

/// What a router's links and its reception FIFOs know of the heads. With six links, nearly every
/// event touches only the first cache line.
struct alignas(64) RouterState {
  std::uint64_t at_destination = 0;  ///< bit = Source: its head is for this node's processor
  std::uint16_t idle = 0;            ///< bit = link: it could start a packet
  std::uint16_t touched = 0;         ///< what arbitration has to look at: links, kTouchReception
  /// First one word per link, `wanted_by`: bit = Source, its head may leave by this link. Then one
  /// word per link, `escape_of`: its head may take the link's bubble channel.
  std::array<std::uint64_t, 2 * kMaxLinks> words{};
  std::uint64_t reading = 0;  ///< bit = Source: a packet is on its way out

  static constexpr unsigned kTouchReception = 1u << 15;

  std::uint64_t wanted_by(unsigned link) const { return words[link]; }
  std::uint64_t escape_of(unsigned links, unsigned link) const { return words[links + link]; }
  /// Bit `link` if some head wants it, else 0; without a branch.
  unsigned wanted_bit(unsigned link) const { return (words[link] != 0 ? 1u : 0u) << link; }
  /// The head of a source requests the links that it may leave by, or withdraws its requests.
  /// `links` per router. Returns those links, as bits.
  unsigned toggle_requests(const SourceQueue& head, std::uint64_t source, unsigned links) {
    const unsigned allowed = allowed_directions(head.directions, head.dynamic).bits();
    toggle_row(words.data(), allowed % (1u << kRow), source);
    if (links > kRow) toggle_row(words.data() + kRow, allowed >> kRow, source);
    words[links + head.directions.first().index] ^= source;
    return allowed;
  }
};

}  // namespace toroid::sim
