#include "router/sim/block.hpp"

#include <algorithm>
#include <utility>

#include "router/stall.hpp"

namespace toroid::sim {
namespace {

/// Up to here the state of all nodes fits a usual second-level cache, more or less, and fetching
/// early costs more than it saves.
constexpr std::size_t kNodesInCache = 256;

}  // namespace

Block::Block(const Shape& shape, const Machine& machine, const RoutingOptions& routing,
             FifoTying tying, Range range, SimProbe* probe)
    : network_(shape, machine, routing, range, probe),
      prefetches_deep_(range.count > kNodesInCache),
      prefetched_(kSteps, Event(EventKind::turn, 0, 0)) {
  nodes_.reserve(range.count);
  for (Rank r = 0; r < range.count; ++r)
    nodes_.emplace_back(network_, machine, range.first + r, tying);
}

void Block::start() {
  for (const SimNode& node : nodes_) {
    CHECK(node.processor() != nullptr);
    network_.calendar().at(0, {EventKind::turn, node.place(), 0});
  }
}

void Block::run(Tick horizon, std::uint64_t events) {
  for (Tick now = next(); now < horizon && counts_.events < events && !failure_; now = next())
    run_cycle(now);
}

/// What the calendar calls.
struct Block::CycleHandler {
  Block& block;
  Tick now;

  void arrive(Event event) {
    ++block.counts_.events;
    block.network_.on_arrive(now, event);
  }
  void tail_passed(Event event) {
    ++block.counts_.events;
    const bool link = event.kind() == EventKind::link_free;
    const FreedRoom freed =
        link ? block.network_.on_link_free(now, event) : block.network_.on_delivered(now, event);
    if (!link) block.delivered_.push_back(event);
    if (freed.chunks > 0) block.fifo_room(now, event.node(), freed);
  }
  /// Tokens from another block are no event of their own: in one block they come with the tail.
  void irregular(Event event) {
    block.counts_.events += event.kind() == EventKind::tokens ? 0 : 1;
    if (event.kind() == EventKind::injected) return block.network_.on_injected(now, event);
    if (event.kind() == EventKind::arrive) return block.network_.on_arrive(now, event);
    if (event.kind() == EventKind::tokens) return block.network_.on_tokens(event);
    if (event.kind() == EventKind::turn || block.nodes_[event.node()].on_alarm(now))
      block.turns_.push_back(event.node());
  }
  void prefetch_arrive(Event event) const {
    block.network_.prefetch_waiting(event.node(), event.index());
    if (block.prefetches_deep_) block.network_.prefetch_arrive(event);
  }
  void prefetch_tail(Event event) const {
    const bool link = event.kind() == EventKind::link_free;
    const unsigned source = link ? Departure::unpack(event.value()).source : event.index();
    block.network_.prefetch_waiting(event.node(), source);
    if (block.prefetches_deep_) block.prefetch_tail(event);
  }
};

void Block::run_cycle(Tick now) {
  counts_.end = now;
  turns_.clear();
  network_.calendar().advance(now);
  CycleHandler handler{*this, now};
  network_.calendar().for_each(now, handler);
  hand_over(now);
  network_.arbitrate(now);
  for (const Rank place : turns_) take_turn(nodes_[place], now);
}

/// A cycle's other turns are taken too: which of them failed first must not depend on their order.
void Block::take_turn(SimNode& node, Tick now) {
  try {
    node.turn(now);
  } catch (const std::exception& error) {
    const Failure failure{
        now, node.rank(),
        std::make_exception_ptr(node_failed(network_.shape(), node.rank(), error))};
    if (!failure_ || failure.before(*failure_)) failure_ = failure;
  }
}

/// In two steps: what the event will touch and, for the one of a few calls ago, what that points
/// to, since that has arrived by now.
void Block::prefetch_tail(Event event) {
  const Event earlier = std::exchange(prefetched_[prefetches_made_++ % kSteps], event);
  if (event.kind() == EventKind::link_free) {
    network_.prefetch_link_free(event);
  } else {
    network_.prefetch_delivered(event);
    nodes_[event.node()].prefetch();
  }
  if (earlier.kind() == EventKind::link_free)
    network_.prefetch_behind_link_free(earlier);
  else
    nodes_[earlier.node()].prefetch_processor();
}

/// In the order of node and channel, so that a node sees simultaneous arrivals in a fixed order.
void Block::hand_over(Tick now) {
  if (delivered_.size() > 1) std::sort(delivered_.begin(), delivered_.end());
  counts_.delivered += delivered_.size();
  for (const Event event : delivered_)
    if (nodes_[event.node()].on_delivered(now, event.value())) turns_.push_back(event.node());
  delivered_.clear();
}

void Block::fifo_room(Tick now, Rank place, const FreedRoom& freed) {
  if (nodes_[place].on_fifo_room(now, freed.fifo, freed.chunks)) turns_.push_back(place);
}

FifoCounters Block::fifo_counters(Tick now, Rank rank, unsigned fifo) const {
  FifoCounters counters = node(rank).fifo_counters()[fifo];
  counters.stalled_cycles = network_.stalled_cycles(now, rank, fifo);
  return counters;
}

void Block::collect(FabricCounters& counters, Tick end) const {
  network_.export_counters(counters);
  counters.events += counts_.events;
  counters.delivered += counts_.delivered;
  for (const SimNode& node : nodes_) {
    counters.packets += node.injected();
    counters.refused += node.refused();
    for (unsigned f = 0; f < node.fifo_counters().size(); ++f)
      counters.fifos.push_back(fifo_counters(end, node.rank(), f));
  }
}

}  // namespace toroid::sim
