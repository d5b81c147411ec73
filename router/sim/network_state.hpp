// What the two halves of a cycle work on: routers, packets under way, and when things happen.
#pragma once

#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/reception.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// The routers, and the network's parts that they work on.
struct NetworkState {
  Routers routers;
  Calendar& calendar;
  FlightPool& flights;
  Reception& reception;
  SimProbe* probe;        ///< null: nobody looks
  Outbox* const& outbox;  ///< where what leaves the block goes; null: there are no other blocks

  ProbedPacket probed(FlightId id) const {
    const FlightTag& tag = flights.tag(id);
    return {tag.serial, tag.source, flights.header(id).destination(), flights[id].chunks};
  }
  /// The directions that a packet at a node has still to go, without those after which failed links
  /// would cut it off.
  DirectionSet passable(Rank rank, FlightId id) const {
    const Flight& flight = flights[id];
    if (routers.failures() == nullptr || !flight.dynamic || flight.directions().empty()) [[likely]]
      return flight.directions();
    return routers.failures()->passable(rank, flights.header(id).destination(),
                                        flight.directions());
  }

  /// The read port of a source begins to read its head.
  FlightId start_reading(Tick now, const Routers::Site& site, Source source) {
    SourceQueue& queue = site.queues[source.index()];
    const FlightId id = queue.head;
    queue.head = flights[id].next;
    queue.reading = true;
    flights[id].next = kNoFlight;
    if (outbox != nullptr) announce_tokens(now, site, source);
    return id;
  }

  /// Packets that are at their destination move to the reception FIFOs that have room for them.
  void eject(Tick now, Rank node);

 private:
  bool try_eject(Tick now, const Routers::Site& site, Source source);
  void announce_tokens(Tick now, const Routers::Site& site, Source source);
};

}  // namespace toroid::sim
