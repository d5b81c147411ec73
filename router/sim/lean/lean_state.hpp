// The state that the two halves of the fast model's cycle share: the routers' records, the pending
// events of the hardware, and how a packet requests the links that it may take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/large_pages.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/lean/overflow_queues.hpp"
#include "router/sim/lean/packet_word.hpp"
#include "router/sim/lean/router_record.hpp"
#include "router/sim/link_retransmission.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/tail_lines.hpp"

namespace toroid::sim::lean {

/// A place where packets wait: node and input.
struct Place {
  static constexpr unsigned kInputBits = 5;
  std::uint32_t bits;
  static Place of(Rank node, unsigned input) { return {node << kInputBits | input}; }
  Rank node() const { return bits >> kInputBits; }
  unsigned input() const { return bits & (kMostInputs - 1); }
};

/// A header reaches a place.
struct Hop {
  PacketWord packet;
  Place place;
};

/// Tokens return from another block.
struct TokensBack {
  Rank node;
  std::uint8_t link;
  std::uint8_t channel;
  std::uint8_t chunks;
};

/// A tail has left: node : 24 | link : 3 | input : 5. It is a single word of 32 bits, because there
/// are many tails.
struct Tail {
  std::uint32_t bits;
  static Tail of(Rank node, unsigned link, unsigned input) {
    return {node << 8 | link << 5 | input};
  }
  Rank node() const { return bits >> 8; }
  unsigned link() const { return bits >> 5 & 7u; }
  unsigned input() const { return bits & (kMostInputs - 1); }
};

/// [rule][set of directions]: the directions whose dynamic channels a packet may take.
using DynamicDirections = std::array<std::array<std::uint8_t, 64>, PacketWord::kRules>;

struct LeanState {
  LeanState(const Shape& shape, const Machine& machine, const RoutingOptions& options, Range block);

  unsigned links;     ///< per router
  unsigned channels;  ///< inputs below this number are channels, the others are FIFOs
  unsigned inputs;
  Range block;
  DynamicDirections dynamic_directions;
  std::vector<RequestRow> rows;        ///< [rule · 64 + set of minimal directions]
  LargeVector<RouterRecord> records;   ///< [node]
  std::vector<Rank> neighbours;        ///< [node · 8 + link], counted from the block's first node
  std::vector<std::uint64_t> stalled;  ///< [node · FIFOs + FIFO], see Routers::stalled()
  OverflowQueues overflow;
  DelayLineOf<Hop> hops;
  std::vector<TailLines<Tail>> wires;  ///< [chunks - 1]
  unsigned wires_used = 0;             ///< bit = chunks - 1
  LinkRetransmission protocol;
  std::vector<Rank> touched;  ///< the first touched_count elements are valid; one more may be
                              ///< written
  std::size_t touched_count = 0;

  bool holds(Rank node) const { return node < block.count; }
  Rank neighbour(Rank node, unsigned link) const {
    return neighbours[std::size_t{node} * 8 + link];
  }
  std::uint64_t& stalled_of(Rank node, unsigned input) {
    return stalled[std::size_t{node} * (inputs - channels) + input - channels];
  }
  TailLines<Tail>& wire(unsigned chunks) {
    wires_used |= 1u << (chunks - 1);
    return wires[chunks - 1];
  }
  /// Begins to read an input's head, and returns it. If packets of the input have overflowed, the
  /// first of them moves into the record.
  PacketWord start_reading(RouterRecord& router, Rank node, unsigned input) {
    const PacketWord packet = router.head(input);
    router.start_reading(input);
    if ((router.overflowing >> input & 1u) != 0) [[unlikely]]
      move_up(node, input);
    return packet;
  }

  /// REQUIRES: no router is marked as touched.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(records, stalled, overflow, hops, wires, wires_used, protocol);
  }

 private:
  /// Moves the first overflowed packet of an input into the record.
  [[gnu::noinline]] void move_up(Rank node, unsigned input);
};

}  // namespace toroid::sim::lean
