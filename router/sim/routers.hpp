// The routers and links of a block of the torus in the general model, as arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/large_pages.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/router_state.hpp"

namespace toroid::sim {

/// Holds state only: the code that changes it is in event_phase.hpp and arbitration_phase.hpp.
/// Nodes are numbered from the block's first node, except where a parameter is called `rank`.
class Routers {
 public:
  /// Throws BadInput if a router has more inputs than the model supports.
  Routers(const Shape& shape, const Machine& machine, Range block);

  /// One router's part of the arrays.
  struct Site {
    Rank node;
    OutputLink* links;   ///< [direction]
    InputQueue* queues;  ///< [input]
    RouterState* state;
  };
  Site site(Rank node) {
    return {node, &links_[std::size_t{node} * degree_], &queues_[std::size_t{node} * inputs_],
            &state_[node]};
  }
  RouterState& state(Rank node) { return state_[node]; }
  OutputLink& link(Rank node, unsigned link) { return links_[std::size_t{node} * degree_ + link]; }
  const InputQueue& queue(Rank node, Input input) const {
    return queues_[std::size_t{node} * inputs_ + input.index()];
  }
  /// Whether the packet at the front of the input waits: there is one, and no packet is leaving the
  /// input.
  bool has_waiting_head(Rank node, Input input) const {
    return queue(node, input).head != kNoFlight && (state_[node].reading & input.bit()) == 0;
  }
  LinkCounters& counters(Rank node, unsigned link) {
    return counters_[std::size_t{node} * degree_ + link];
  }
  /// The counters of all links, [node · degree + direction].
  std::span<const LinkCounters> counters() const { return counters_; }

  const Shape& shape() const { return shape_; }
  const Failures* failures() const { return failures_; }  ///< null if all links and nodes work
  const Range& block() const { return block_; }
  unsigned degree() const { return degree_; }      ///< links per router
  unsigned inputs() const { return inputs_; }      ///< channels and injection FIFOs per router
  unsigned channels() const { return channels_; }  ///< inputs below are channels, others are FIFOs
  bool is_fifo(Input input) const { return input.index() >= channels_; }
  Rank rank_of(Rank node) const { return block_.first + node; }
  /// Whether a node, counted from the block's first, belongs to this block.
  bool holds(Rank node) const { return node < block_.count; }
  /// The node at the other end of a link; holds() tells whether it belongs to this block.
  Rank behind(const Site& site, Direction direction) const {
    return site.links[direction.index].neighbour - block_.first;
  }

  /// Cycles in which the FIFO's head waited for a link: the sum of the times at which heads left,
  /// minus the sum of the times at which they came. While a head waits, only the time at which it
  /// came is included.
  std::uint64_t& stalled(Rank node, Input fifo) {
    return stalled_[std::size_t{node} * (inputs_ - channels_) + fifo.index() - channels_];
  }
  /// The cycle in which the input's head became the head. REQUIRES: the machine has an escape wait.
  Tick& exposed_at(Rank node, Input input) {
    return exposed_at_[std::size_t{node} * inputs_ + input.index()];
  }
  Tick exposed_at(Rank node, Input input) const {
    return exposed_at_[std::size_t{node} * inputs_ + input.index()];
  }
  /// Number of cycles up to `now` in which a head of this FIFO waited for a link. `now` is not
  /// before the last event.
  std::uint64_t stalled_cycles(Tick now, Rank node, unsigned fifo) const;

  /// Marks links of a router for arbitration; `what` may be empty. The code has no branch, because
  /// it is hard to predict whether this is the router's first mark in this cycle.
  void mark(Rank node, RouterState& state, unsigned what) {
    marked_[marked_count_] = node;
    marked_count_ += state.touched == 0 && what != 0 ? 1 : 0;
    state.touched = static_cast<std::uint16_t>(state.touched | what);
  }
  /// The routers marked since the last call of clear_marked().
  std::span<const Rank> marked() const { return std::span(marked_).first(marked_count_); }
  void clear_marked() { marked_count_ = 0; }

  /// REQUIRES: nothing is marked.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(links_, counters_, queues_, state_, stalled_, exposed_at_);
  }

  // These functions prefetch the data that an event or arbitration will use. They are always
  // inlined, because g++ treats calls of functions that only prefetch as superfluous.
  [[gnu::always_inline]] void prefetch_queue(Rank node, unsigned input) const {
    __builtin_prefetch(&queues_[std::size_t{node} * inputs_ + input]);
  }
  [[gnu::always_inline]] void prefetch_link(Rank node, unsigned link) const {
    __builtin_prefetch(&links_[std::size_t{node} * degree_ + link]);
  }
  [[gnu::always_inline]] void prefetch_counters(Rank node, unsigned link) const {
    __builtin_prefetch(&counters_[std::size_t{node} * degree_ + link]);
  }
  /// Prefetches the requests for a router's links.
  [[gnu::always_inline]] void prefetch_state(Rank node) const {
    prefetch_lines(&state_[node], state_bytes_);
  }
  /// Prefetches a router's links and channels: arbitration compares the channels' heads.
  [[gnu::always_inline]] void prefetch_site(Rank node) const {
    prefetch_lines(&links_[std::size_t{node} * degree_], degree_ * sizeof(OutputLink));
    prefetch_lines(&queues_[std::size_t{node} * inputs_], channels_ * sizeof(InputQueue));
  }

 private:
  void connect(const Machine& machine);
  [[gnu::always_inline]] static void prefetch_lines(const void* begin, std::size_t bytes) {
    for (std::size_t line = 0; line < bytes; line += 64)
      __builtin_prefetch(static_cast<const char*>(begin) + line);
  }

  Shape shape_;
  const Failures* failures_;
  Range block_;
  unsigned degree_;
  unsigned channels_;
  unsigned inputs_;
  std::size_t state_bytes_;             ///< bytes of a RouterState that the links use
  LargeVector<OutputLink> links_;       ///< [node · degree + direction]
  std::vector<LinkCounters> counters_;  ///< [node · degree + direction]
  LargeVector<InputQueue> queues_;      ///< [node · inputs + input]
  LargeVector<RouterState> state_;      ///< [node]
  std::vector<std::uint64_t> stalled_;  ///< [node · FIFOs + FIFO]
  std::vector<Tick> exposed_at_;        ///< [node · inputs + input]; empty if there is no escape
                                        ///< wait
  std::vector<Rank> marked_;            ///< the first marked_count_ elements are valid; mark() may
                                        ///< write one more
  std::size_t marked_count_ = 0;
};

}  // namespace toroid::sim
