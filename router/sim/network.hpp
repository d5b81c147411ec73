// The routers and links of a block of the torus.
//
// A cycle has two halves. First all events of the cycle change the state (event_phase.hpp): headers
// arrive, tails leave and return their tokens upstream. Then every router that something happened
// to chooses, link by link, among the packets that want it (arbitration_phase.hpp). Within a half
// the order is immaterial, because events of one cycle touch different things or add to the same
// count, and choices act on other nodes only through later events. So a run's results follow from
// its input alone, however the torus is cut into blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/arbitration_phase.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/event_phase.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network_state.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// A block owns its network; all calls come from the block's thread.
class Network {
 public:
  /// The routers of `block`. The probe, if any, outlives it. Throws BadInput if the machine cannot
  /// be modelled.
  Network(const Shape& shape, const Machine& machine, RoutingOptions options, Range block,
          SimProbe* probe);
  Network(const Network&) = delete;  // its second half refers to its state

  const Shape& shape() const { return state_.routers.shape(); }
  const Range& block() const { return state_.routers.block(); }
  Calendar& calendar() { return state_.calendar; }
  const Calendar& calendar() const { return state_.calendar; }
  FlightPool& flights() { return state_.flights; }

  /// Where what leaves the block goes from now on. REQUIRES: there are other blocks.
  void leave_through(Outbox& outbox) { state_.outbox = &outbox; }
  /// Schedules what another block has sent here. REQUIRES: nothing of it lies in the past.
  void schedule(const WindowMessage& message);

  // In what follows nodes are counted from the block's first.
  /// Puts a packet into an injection FIFO at a later cycle.
  void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight);
  /// The processor has made a packet: it gets its number, if there is a probe.
  void number(Rank node, FlightId flight) {
    if (state_.probe != nullptr) state_.flights.set_tag(flight, {next_serial_++, node});
  }
  /// The processor has taken a delivered packet out of a reception FIFO.
  void release_reception(Tick now, Rank node, FlightId flight);

  /// The first half of a cycle. Returns the number of events.
  std::size_t run_events(Tick now, ProcessorEvents& events) {
    return sim::run_events(state_, now, fetches_early_, events);
  }
  /// The second half.
  void arbitrate(Tick now) { arbitration_.run(now); }

  /// Adds packet hops, and the block's links in ascending order.
  void add_to(FabricCounters& counters) const;
  std::span<const LinkCounters> link_counters() const { return state_.routers.counters(); }
  /// Cycles until `now`, which is not before the last event.
  std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const {
    return state_.routers.stalled_cycles(now, rank - block().first, fifo);
  }

  // For the report of a run that cannot go on, and for probes: by rank.
  unsigned sources() const { return state_.routers.sources(); }
  const SourceQueue& queue(Rank rank, Source s) const {
    return state_.routers.queue(rank - block().first, s);
  }
  /// The packet at the head of a queue, if there is one.
  std::optional<RoutedPacket> head(Rank rank, Source s) const;
  const Flight& flight(FlightId id) const { return state_.flights[id]; }
  std::size_t flights_alive() const { return state_.flights.alive(); }

 private:
  NetworkState state_;
  bool fetches_early_;
  ArbitrationPhase arbitration_;
  std::uint64_t next_serial_ = 0;  ///< of a packet, for probes
};

}  // namespace toroid::sim
