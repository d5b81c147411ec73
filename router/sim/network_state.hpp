// The state that the two halves of a cycle work on: routers, packets in flight, and pending events.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/flight_pool.hpp"
#include "router/sim/link_retransmission.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/reception.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// Delays and limits that some machines have in addition to the rules of router/rules.
struct RouterDelays {
  explicit RouterDelays(const Machine& machine)
      : input_reads(machine.input_reads),
        token_return(machine.token_return_cycles),
        escape_wait(machine.escape_wait_cycles) {}

  bool limits_reads() const { return input_reads < kVirtualChannels; }

  unsigned input_reads;  ///< packets that can leave an input port's channels at the same time
  Tick token_return;     ///< time from a tail's departure until the room that it leaves is known
                         ///< upstream
  Tick escape_wait;  ///< waiting time of an adaptive packet at a queue's head before it enters a
                     ///< bubble ring
};

/// The routers, and the parts of the network that they use.
struct NetworkState {
  Routers routers;
  RouterDelays delays;
  Calendar& calendar;
  FlightPool& flights;
  Reception& reception;
  SimProbe* probe;  ///< null if there is no probe
  LinkRetransmission protocol;
  std::vector<SendingEnd> ends{};  ///< [node · degree + link], if links are checked
  std::vector<Event> repeating{};  ///< `repeat` events of the present cycle: packets that links
                                   ///< have held and now send
  Outbox* const& outbox;  ///< outbox for everything that leaves the block; null if there are no
                          ///< other blocks

  SendingEnd& end(Rank node, unsigned link) {
    return ends[std::size_t{node} * routers.degree() + link];
  }
  ProbedPacket probed(FlightId id) const {
    const FlightTag& tag = flights.tag(id);
    return {tag.serial, tag.source, flights.header(id).destination(), flights[id].chunks};
  }
  /// The packet's contribution to the CRCs of links.
  std::uint64_t word_of(FlightId id) const {
    return std::bit_cast<std::uint64_t>(flights[id].route) ^ std::uint64_t{id} << 32;
  }
  /// The directions in which a packet at a node has hops left, without those after which failed
  /// links would cut it off.
  DirectionSet passable(Rank rank, FlightId id) const {
    const Flight& flight = flights[id];
    const Failures* const failures = routers.failures();
    if (failures == nullptr || flight.directions().empty()) [[likely]]
      return flight.directions();
    if (flight.dynamic)
      return failures->passable(rank, flights.header(id).destination(), flight.route);
    return failures->works(rank, flight.directions().first()) ? flight.directions()
                                                              : DirectionSet();
  }
  /// The directions from which a head takes its escape direction: all of `left`, or none if the
  /// packet may not escape.
  DirectionSet escapes(Rank rank, FlightId id, DirectionSet left) const {
    const Flight& flight = flights[id];
    if (left.empty() || !flight.dynamic) return left;
    const Rank to = flights.header(id).destination();
    return routers.failures()->leaves_escape(rank, to, flight.route) ? left : DirectionSet();
  }
  /// The directions left to the head of `input`. If none is left and links can fail during the run,
  /// the head gets other directions if possible: it must be a dynamic packet or still be in an
  /// injection FIFO.
  DirectionSet ways_left(Rank rank, Input input, FlightId id) {
    const DirectionSet left = passable(rank, id);
    return left.empty() && routers.failures()->may_change() ? other_ways(rank, input, id) : left;
  }
  /// Whether a packet can go no further: it has no path left, or its node has failed.
  bool is_lost(Rank rank, const Flight& flight) const {
    return !flight.directions().empty() ||
           (routers.failures() != nullptr && !routers.failures()->is_alive(rank));
  }

  /// The channels of the input ports that already send as many packets as they can.
  std::uint64_t busy_inputs(const RouterState& state) const;
  /// Whether a queue's head has to wait before it enters the bubble channel `entering`.
  bool must_wait(Tick now, const Routers::Site& site, Input input, VirtualChannel entering) const {
    return delays.escape_wait != 0 && entering > VirtualChannel::dynamic1 &&
           waits_for_escape(input, flights[site.queues[input.index()].head]) &&
           now - routers.exposed_at(site.node, input) < delays.escape_wait;
  }
  /// Whether a head has to wait before it may escape: only adaptive packets outside bubble channels
  /// have to.
  bool waits_for_escape(Input input, const Flight& head) const {
    const bool in_bubble = !routers.is_fifo(input) && input.channel() > VirtualChannel::dynamic1;
    return !in_bubble && head.dynamic;
  }

  /// Begins to read the head of an input: it leaves the queue, and its number is returned.
  FlightId start_reading(Tick now, const Routers::Site& site, Input input) {
    InputQueue& queue = site.queues[input.index()];
    const FlightId id = queue.head;
    queue.head = flights[id].next;
    site.state->reading |= input.bit();
    flights[id].next = kNoFlight;
    if (outbox != nullptr) announce_tokens(now, site, input);
    return id;
  }

  /// Moves packets that are at their destination to the reception FIFOs that have room for them.
  void eject(Tick now, Rank node);

 private:
  bool try_eject(Tick now, const Routers::Site& site, Input input);
  DirectionSet other_ways(Rank rank, Input input, FlightId id);
  void announce_tokens(Tick now, const Routers::Site& site, Input input);
};

}  // namespace toroid::sim
