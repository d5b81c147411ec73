// The rules by which a packet gets onto a link. They are the same on every fabric.
//
// A link has four virtual channels: D0 and D1 (dynamic), BN (bubble) and BP (bubble for high
// priority). A bubble channel is the escape of packets that find no room in dynamic channels. A
// packet is sent only if there are tokens for its whole length (virtual cut-through). A dynamic
// packet may take both dynamic channels of every minimal direction, and the bubble channel of the
// first direction in dimension order; it may change between dynamic and bubble channels at any hop.
// A packet with its own dimension order takes dynamic channels only in the first dimension of that
// order that still has hops left; its escape follows the common order, so that escaping packets
// turn from X to Y to Z and never back. A deterministic packet stays in bubble channels and goes
// through the dimensions in order.
//
// Bubble rule: to enter a ring of a bubble channel (from an injection FIFO, at a turn, or from
// another channel), a packet needs room for itself plus one full packet; to go straight on it needs
// room for itself only. So no ring ever fills up completely, and its packets can always advance. In
// a bubble channel every packet counts as a full one, so that the bubble stays whole. On a twisted
// torus the links of one direction form closed rings too, but longer ones: a packet that keeps
// going in a direction returns to its start after several rounds. The rule looks at one buffer at a
// time and holds for rings of any length. Escaping packets turn from X to Y to Z there too, since
// the hops of a shortest path may be made in any order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/link_errors.hpp"
#include "hal/packet.hpp"

namespace toroid {

/// Switches of the model; the defaults are the hardware's behaviour.
struct RoutingOptions {
  bool transit_first = true;  ///< packets in transit go before packets being injected
  bool bubble_rule = true;    ///< if off, runs with tiny buffers may deadlock
  bool general = false;       ///< on `sim`: use the general model even if the fast one supports the
                              ///< machine
  LinkErrors link_errors{};
  std::uint64_t link_seed = 1;  ///< seed of the arbiters' choices and of link errors
};

/// A place where packets wait: a virtual channel of an input port, or an injection FIFO. The index
/// of an input port is the direction in which its packets travel.
class Input {
 public:
  static constexpr Input channel(Direction travelling, VirtualChannel channel) {
    return Input(travelling.index * kVirtualChannels + static_cast<unsigned>(channel));
  }
  static constexpr Input fifo(unsigned links, unsigned fifo) {
    return Input(links * kVirtualChannels + fifo);
  }
  explicit constexpr Input(unsigned index) : index_(static_cast<std::uint8_t>(index)) {}

  constexpr unsigned index() const { return index_; }
  constexpr std::uint64_t bit() const { return std::uint64_t{1} << index_; }
  constexpr bool is_fifo(unsigned links) const { return index_ >= links * kVirtualChannels; }
  /// REQUIRES: it is not a FIFO.
  constexpr Direction travelling() const {
    return {static_cast<std::uint8_t>(index_ / kVirtualChannels)};
  }
  constexpr VirtualChannel channel() const {
    return static_cast<VirtualChannel>(index_ % kVirtualChannels);
  }

 private:
  std::uint8_t index_;
};

/// Free room downstream, in chunks, per virtual channel of a link. A fabric with small buffers may
/// use an array of smaller integers: the rules below accept both.
using Tokens = std::array<std::uint16_t, kVirtualChannels>;

/// The fields of a packet that routing looks at.
struct RoutedPacket {
  DirectionSet directions;  ///< minimal directions with hops left
  DirectionSet dynamic;     ///< the minimal directions whose dynamic channels it may take
  unsigned chunks;
  bool high_priority;
  bool may_escape = true;  ///< false if failures block its way in dimension order
};

/// Directions whose dynamic channels a packet may take: none if it is not dynamic, all minimal ones
/// if it has no dimension order of its own, otherwise those in the first dimension of its order.
constexpr DirectionSet dynamic_directions(DirectionSet minimal, bool dynamic, DimensionOrder order,
                                          unsigned dims) {
  if (!dynamic) return {};
  return order == 0 ? minimal : first_in_order(minimal, order, dims);
}

/// The bit of a packet's escape direction, the first minimal one; 0 if there is none.
constexpr unsigned escape_bit(DirectionSet minimal) {
  return minimal.bits() & (~unsigned{minimal.bits()} + 1);
}

/// Directions in which the packet may leave: the dynamic ones and its escape direction.
constexpr DirectionSet allowed_directions(DirectionSet minimal, DirectionSet dynamic) {
  return DirectionSet(static_cast<std::uint16_t>(dynamic.bits() | escape_bit(minimal)));
}

/// Number of tokens, in chunks, that a packet holds downstream. In a bubble channel it holds a full
/// packet's tokens whatever its length: otherwise short packets would break the bubble into pieces
/// too small for a full packet, and rings with packets of mixed lengths would deadlock.
constexpr unsigned tokens_held(VirtualChannel channel, unsigned chunks) {
  return channel <= VirtualChannel::dynamic1 ? chunks : kMaxChunks;
}

/// Tokens that must be free for a packet to take a bubble channel.
constexpr unsigned bubble_tokens(unsigned chunks, bool straight_on, bool rule, unsigned reserve) {
  return straight_on || !rule ? chunks : chunks + reserve;
}

class ChannelRule {
 public:
  ChannelRule(unsigned reserve_chunks, bool bubble_rule)
      : reserve_(reserve_chunks), bubble_rule_(bubble_rule) {}

  /// The channel of link `out` that the packet waiting at `from` takes now, if any: the emptier
  /// dynamic channel ("join the shortest queue"), otherwise the bubble channel.
  std::optional<VirtualChannel> choose(const RoutedPacket& packet, Input from, Direction out,
                                       const Tokens& tokens) const {
    const VirtualChannel emptier = emptier_dynamic(tokens);
    if (packet.dynamic.has(out) && has_room(tokens, emptier, packet.chunks)) return emptier;
    if (!packet.may_escape || out != packet.directions.first()) return std::nullopt;
    const VirtualChannel escape = escape_channel(packet.high_priority);
    if (!escapes(packet.chunks, escape, from, out, tokens)) return std::nullopt;
    return escape;
  }

  // The parts of the rule, for tokens of any integer type.
  template <typename AnyTokens>
  static VirtualChannel emptier_dynamic(const AnyTokens& tokens) {
    return static_cast<VirtualChannel>(tokens[1] > tokens[0] ? 1 : 0);
  }
  template <typename AnyTokens>
  static bool has_room(const AnyTokens& tokens, VirtualChannel channel, unsigned chunks) {
    return tokens[static_cast<unsigned>(channel)] >= chunks;
  }
  static VirtualChannel escape_channel(bool high_priority) {
    return high_priority ? VirtualChannel::priority : VirtualChannel::bubble;
  }
  /// Whether the packet finds enough room in a bubble channel of link `out`.
  template <typename AnyTokens>
  bool escapes(unsigned chunks, VirtualChannel bubble, Input from, Direction out,
               const AnyTokens& tokens) const {
    const bool straight_on = from.index() == Input::channel(out, bubble).index();
    const unsigned held = tokens_held(bubble, chunks);
    return has_room(tokens, bubble, bubble_tokens(held, straight_on, bubble_rule_, reserve_));
  }

 private:
  unsigned reserve_;
  bool bubble_rule_;
};

}  // namespace toroid
