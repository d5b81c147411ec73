// An event of the model, packed into one word.
#pragma once

#include <cstdint>
#include <limits>

#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::sim {

/// The cycle of events that never happen.
inline constexpr Tick kNever = std::numeric_limits<Tick>::max();

/// The kinds of events. All except turns and alarms change a router's state and commute, so that
/// their order within a cycle does not matter; processors' turns come after all of them. Nodes are
/// numbered from the first node of their block.
enum class EventKind : std::uint8_t {
  arrive,     ///< a header reaches an input channel; index = input, value = flight
  link_free,  ///< a tail has left; index = link, value = input
  injected,   ///< the processor has written a packet; index = input (a FIFO), value = flight
  delivered,  ///< a tail has reached the reception FIFO; index = input it came from, value = flight
  turn,       ///< the processor is free
  alarm,      ///< the processor has asked to be woken, or, if index = kCopied, another rank of its
              ///< node has copied a packet for it; value = flight
  tokens,     ///< tokens return from another block, or some cycles after the tail has left; index =
              ///< link, value = Returned
  escape,     ///< a head may have waited long enough to take a bubble channel; index = input
  repeat,     ///< a link sends a packet that it has held; index = link, value = Held
  failed,     ///< links or nodes have failed: heads are routed anew
};

/// The index of an alarm that announces a packet in the node's memory.
inline constexpr unsigned kCopied = 1;

/// kind : 4 | node : 24 | index : 6 | value : 30
class Event {
 public:
  static constexpr unsigned kValueBits = 30;
  constexpr Event() : Event(EventKind::turn, 0, 0) {}
  constexpr Event(EventKind kind, Rank node, unsigned index, std::uint32_t value = 0)
      : bits_(std::uint64_t(kind) << 60 | std::uint64_t{node} << 36 | std::uint64_t{index} << 30 |
              value) {}
  constexpr EventKind kind() const { return static_cast<EventKind>(bits_ >> 60); }
  constexpr Rank node() const { return static_cast<Rank>(bits_ >> 36) & 0xffffffu; }
  constexpr unsigned index() const { return static_cast<unsigned>(bits_ >> 30) & 63u; }
  constexpr std::uint32_t value() const {
    return static_cast<std::uint32_t>(bits_) & ((1u << kValueBits) - 1);
  }

  /// Orders events by kind, then node, then index, then value.
  constexpr auto operator<=>(const Event&) const = default;

 private:
  std::uint64_t bits_;
};

/// The value of a `tokens` event: tokens that return later than their packet leaves.
struct Returned {
  unsigned channel;  ///< index of a VirtualChannel
  unsigned chunks;

  static constexpr Returned unpack(std::uint32_t value) { return {value & 3u, value >> 2}; }
  constexpr std::uint32_t pack() const { return channel | chunks << 2; }
};

/// The value of a `repeat` event: a packet that a link holds while the link repeats it.
struct Held {
  unsigned input;
  unsigned channel;
  unsigned chunks;

  static constexpr Held unpack(std::uint32_t value) {
    return {value & 63u, value >> 6 & 3u, value >> 8};
  }
  constexpr std::uint32_t pack() const { return input | channel << 6 | chunks << 8; }
};

}  // namespace toroid::sim
