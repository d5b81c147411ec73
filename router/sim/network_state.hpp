// What the two halves of a cycle work on: routers, packets under way, and when things happen.
#pragma once

#include <vector>

#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/reception_buffer.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// The reception FIFOs of all nodes of a block.
class Reception {
 public:
  Reception(const Shape& shape, const Machine& machine, Rank nodes)
      : normal_fifos_(machine.reception_fifos),
        degree_(shape.links()),
        buffers_(nodes, ReceptionBuffer(machine.reception_fifos + machine.priority_reception_fifos,
                                        machine.reception_fifo_chunks)) {}

  /// The FIFO for a packet that waits at `source`: by its priority and the port it came through.
  unsigned fifo_for(const Flight& flight, Source source) const {
    const unsigned fifos = buffers_.front().fifos();
    if (flight.high_priority && fifos > normal_fifos_)
      return normal_fifos_;  // the first one for high priority
    const unsigned port = source.is_fifo(degree_) ? 0 : source.travelling().index;
    return port % normal_fifos_;
  }
  [[nodiscard]] bool try_reserve(Rank node, unsigned fifo, unsigned chunks) {
    return buffers_[node].try_reserve(fifo, chunks);
  }
  void release(Rank node, unsigned fifo, unsigned chunks) { buffers_[node].release(fifo, chunks); }

 private:
  unsigned normal_fifos_;  ///< per node; the others are for high priority
  unsigned degree_;
  std::vector<ReceptionBuffer> buffers_;  ///< [node]
};

struct NetworkState {
  Routers routers;
  Calendar calendar;
  FlightPool flights;
  Reception reception;
  SimProbe* probe;           ///< null: nobody looks
  Outbox* outbox = nullptr;  ///< where what leaves the block goes; null: there are no other blocks

  ProbedPacket probed(FlightId id) const {
    const FlightTag& tag = flights.tag(id);
    return {tag.serial, tag.source, flights.header(id).destination(), flights[id].chunks};
  }
  /// The directions that a packet at a node has still to go, without those after which failed links
  /// would cut it off.
  DirectionSet passable(Rank rank, FlightId id) const {
    const Flight& flight = flights[id];
    if (routers.failures() == nullptr || !flight.dynamic || flight.directions.empty()) [[likely]]
      return flight.directions;
    return routers.failures()->passable(rank, flights.header(id).destination(), flight.directions);
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
