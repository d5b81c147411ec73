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
#include "router/sim/link_mask_indices.hpp"

namespace toroid::sim {

/// Removes the lowest bit from a set of indices and returns its index.
template <typename Mask>
unsigned pop_lowest(Mask& mask) {
  const auto index = static_cast<unsigned>(std::countr_zero(mask));
  mask = static_cast<Mask>(mask & (mask - 1));
  return index;
}

/// A FIFO of flights in front of a router: an input channel or an injection FIFO. It has only one
/// read port, so a packet is considered only when the tail of the packet before it has left.
struct InputQueue {
  FlightId head = kNoFlight;
  FlightId tail = kNoFlight;
  std::uint16_t used = 0;  ///< chunks, including those of the packet being read
  // Copied from the head's flight when the head is exposed, so that choosing among heads reads no
  // flight.
  std::uint8_t chunks = 0;
  bool high_priority = false;
};
static_assert(sizeof(InputQueue) == 12);

/// One direction of a link, as its sender sees it; four per cache line.
struct OutputLink {
  Rank neighbour = kNone;  ///< the router downstream, by its rank in the whole machine
  Tokens tokens{};
  std::uint8_t turn = 0;  ///< the input at which the round robin goes on; used only without
                          ///< transit_first

  static constexpr Rank kNone = ~Rank{0};
};
static_assert(sizeof(OutputLink) == 16);

static_assert(kMaxLinks == 2 * kRow);

/// [set of links][link]: all bits of a word if the link is in the set, otherwise none.
inline constexpr auto kRowOf = [] {
  std::array<std::array<std::uint64_t, kRow>, 1u << kRow> rows{};
  for (unsigned set = 0; set < rows.size(); ++set)
    for (unsigned l = 0; l < kRow; ++l) rows[set][l] = (set >> l & 1u) != 0 ? ~std::uint64_t{0} : 0;
  return rows;
}();

/// Sets a bit in the words of a set of links. The set's size is hard to predict, so there are no
/// branches: all words of the row are written, including those beyond the last link.
inline void set_in_row(std::uint64_t* __restrict words, unsigned set, std::uint64_t bit) {
  const auto& row = kRowOf[set];
  for (unsigned l = 0; l < kRow; ++l) words[l] |= row[l] & bit;
}

/// The channels of an input port, as a set of inputs.
constexpr std::uint64_t input_channels(unsigned port) {
  return ((std::uint64_t{1} << kVirtualChannels) - 1) << (port * kVirtualChannels);
}

/// Which heads of a router want which links or a reception FIFO, and which links are idle.
struct alignas(64) RouterState {
  std::uint64_t at_destination = 0;  ///< bit = input: its head is for this node's processor
  std::uint64_t reading = 0;         ///< bit = input: a packet is on its way out
  std::uint16_t idle = 0;            ///< bit = link: it can start a packet
  std::uint16_t touched = 0;         ///< links (and kTouchReception) for arbitration to look at
  /// First one word per link: the inputs (as bits) whose head may take the link's dynamic channels.
  /// Then one word per link: the inputs whose head may take the link's bubble channel.
  std::array<std::uint64_t, 2 * kMaxLinks> words{};

  static constexpr unsigned kTouchReception = 1u << 15;

  // `links` is the number of links per router.
  std::uint64_t dynamic_of(unsigned link) const { return words[link]; }
  std::uint64_t escape_of(unsigned links, unsigned link) const { return words[links + link]; }
  /// The inputs whose heads want a link.
  std::uint64_t wanted_by(unsigned links, unsigned link) const {
    return dynamic_of(link) | escape_of(links, link);
  }
  /// Returns bit `link` if some head wants that link, otherwise 0; without a branch.
  unsigned wanted_bit(unsigned links, unsigned link) const {
    return static_cast<unsigned>(wanted_by(links, link) != 0) << link;
  }
  /// The head of an input requests the links by which it may leave: the dynamic channels of the
  /// links in `dynamic`, and the bubble channel of the first link in `escapes`, if any. Returns all
  /// these links as bits.
  unsigned request(std::uint64_t input, DirectionSet escapes, DirectionSet dynamic,
                   unsigned links) {
    set_in_row(words.data(), dynamic.bits() % (1u << kRow), input);
    if (links > kRow) set_in_row(words.data() + kRow, dynamic.bits() >> kRow, input);
    const unsigned escape = escape_bit(escapes);
    const auto first = static_cast<unsigned>(std::countr_zero(escape | 1u << 16)) % 16u;
    words[links + first] |= input & (0 - std::uint64_t{escape != 0});
    return dynamic.bits() | escape;
  }
  /// The head withdraws its requests.
  void withdraw(std::uint64_t input, unsigned links) {
    for (unsigned word = 0; word < 2 * links; word += 4)  // a router has four words per dimension
      for (unsigned i = 0; i < 4; ++i) words[word + i] &= ~input;
  }
};

}  // namespace toroid::sim
