#include "router/sim_fabric.hpp"

#include <algorithm>
#include <utility>

#include "router/sim/network.hpp"
#include "router/sim/node.hpp"
#include "router/stall.hpp"

namespace toroid {

using sim::Event;
using sim::EventKind;

class SimFabric::Impl final : private Standstill {
 public:
  Impl(const Shape& shape, const Machine& machine, SimOptions options)
      : machine_(machine),
        options_(std::move(options)),
        network_(shape, machine_, options_.routing),
        prefetches_deep_(shape.size() > kNodesInCache),
        prefetched_(kSteps, Event(EventKind::turn, 0, 0)) {
    nodes_.reserve(shape.size());
    for (Rank r = 0; r < shape.size(); ++r)
      nodes_.emplace_back(network_, machine_, r, options_.tying);
  }

  const Shape& shape() const override { return network_.shape(); }
  const Machine& machine() const { return machine_; }
  sim::SimNode& node(Rank rank) { return nodes_.at(rank); }
  const FabricCounters& counters() const { return counters_; }

  void run() {
    CHECK(!std::exchange(ran_, true));
    for (auto& node : nodes_) {
      CHECK(node.processor() != nullptr);
      network_.calendar().at(0, {EventKind::turn, node.rank(), 0});
    }
    while (const auto now = network_.calendar().advance()) run_cycle(*now);
    collect();
    const std::string report = stall_report(*this, fmt::format("at cycle {}", counters_.end));
    if (!report.empty()) throw RunFailed(report);
  }

 private:
  void run_cycle(Tick now) {
    counters_.end = now;
    turns_.clear();
    CycleHandler handler{*this, now};
    network_.calendar().for_each(now, handler);
    hand_over(now);
    network_.arbitrate(now);
    for (const Rank node : turns_) take_turn(nodes_[node], now);
    if (options_.progress && counters_.events >= next_progress_) report_progress(now);
  }

  void take_turn(sim::SimNode& node, Tick now) {
    try {
      node.turn(now);
    } catch (const std::exception& error) {
      throw node_failed(shape(), node.rank(), error);
    }
  }

  // For the report of a run that cannot go on.
  unsigned sources() const override { return network_.sources(); }
  std::optional<RoutedPacket> head(Rank node, Source source) const override {
    const sim::FlightId id = network_.waiting(node, source).head;
    if (id == sim::kNoFlight) return std::nullopt;
    const sim::Flight& flight = network_.flight(id);
    return RoutedPacket{flight.directions, flight.chunks, flight.dynamic, flight.high_priority};
  }
  const Processor& processor(Rank node) const override { return *nodes_[node].processor(); }
  std::uint64_t packets_under_way() const override { return network_.flights_alive(); }

  /// What the calendar calls.
  struct CycleHandler {
    Impl& impl;
    Tick now;
    void arrive(Event event) {
      ++impl.counters_.events;
      impl.network_.on_arrive(event);
    }
    void tail_passed(Event event) {
      ++impl.counters_.events;
      const bool link = event.kind() == EventKind::link_free;
      const sim::FreedRoom freed =
          link ? impl.network_.on_link_free(event) : impl.network_.on_delivered(event);
      if (!link) impl.delivered_.push_back(event);
      if (freed.chunks > 0) impl.fifo_room(now, event.node(), freed);
    }
    void irregular(Event event) {
      ++impl.counters_.events;
      event.kind() == EventKind::turn ? impl.turns_.push_back(event.node())
                                      : impl.network_.on_arrive(event);
    }
    void prefetch_arrive(Event event) const {
      impl.network_.prefetch_waiting(event.node(), event.index());
      if (impl.prefetches_deep_) impl.network_.prefetch_arrive(event);
    }
    void prefetch_tail(Event event) const {
      const bool link = event.kind() == EventKind::link_free;
      const unsigned source = link ? sim::Departure::unpack(event.value()).source : event.index();
      impl.network_.prefetch_waiting(event.node(), source);
      if (impl.prefetches_deep_) impl.prefetch_tail(event);
    }
  };

  /// In two steps: what the event will touch and, for the one of a few calls ago, what that points
  /// to, since that has arrived by now.
  void prefetch_tail(Event event) {
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
  void hand_over(Tick now) {
    if (delivered_.size() > 1) std::sort(delivered_.begin(), delivered_.end());
    counters_.delivered += delivered_.size();
    for (const Event event : delivered_)
      if (nodes_[event.node()].on_delivered(now, event.value())) turns_.push_back(event.node());
    delivered_.clear();
  }

  void fifo_room(Tick now, Rank node, const sim::FreedRoom& freed) {
    if (nodes_[node].on_fifo_room(now, freed.fifo, freed.chunks)) turns_.push_back(node);
  }

  void report_progress(Tick now) {
    next_progress_ = counters_.events + (1u << 20);
    options_.progress({now, counters_.delivered});
  }

  void collect() {
    network_.export_counters(counters_);
    for (const auto& node : nodes_) {
      counters_.packets += node.injected();
      counters_.refused += node.refused();
      counters_.fifos.insert(counters_.fifos.end(), node.fifo_counters().begin(),
                             node.fifo_counters().end());
    }
  }

  /// Up to here the state of all nodes fits a usual second-level cache, more or less, and fetching
  /// early costs more than it saves.
  static constexpr std::size_t kNodesInCache = 1024;
  static constexpr std::size_t kSteps = 6;  ///< events between the two steps of a prefetch

  Machine machine_;
  SimOptions options_;
  sim::Network network_;
  std::vector<sim::SimNode> nodes_;
  std::vector<Event> delivered_;  ///< in this cycle
  std::vector<Rank> turns_;       ///< in this cycle
  FabricCounters counters_;
  bool ran_ = false;
  std::uint64_t next_progress_ = 0;
  bool prefetches_deep_;
  std::size_t prefetches_made_ = 0;
  std::vector<Event> prefetched_;
};

SimFabric::SimFabric(const Shape& shape, const Machine& machine, SimOptions options)
    : impl_(std::make_unique<Impl>(shape, machine, std::move(options))) {}
SimFabric::~SimFabric() = default;
const Shape& SimFabric::shape() const {
  return impl_->shape();
}
const Machine& SimFabric::machine() const {
  return impl_->machine();
}
Device& SimFabric::device(Rank rank) {
  return impl_->node(rank);
}
void SimFabric::attach(Rank rank, Processor& processor) {
  impl_->node(rank).attach(processor);
}
void SimFabric::run() {
  impl_->run();
}
const FabricCounters& SimFabric::counters() const {
  return impl_->counters();
}

}  // namespace toroid
