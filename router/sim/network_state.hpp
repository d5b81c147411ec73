// What the two halves of a cycle work on: routers, packets under way, and when things happen.
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
#include "router/sim/link_protocol.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/reception.hpp"
#include "router/sim/router_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// What holds packets up in some machines beyond the rules of router/rules.
struct RouterDelays {
  explicit RouterDelays(const Machine& machine)
      : input_reads(machine.input_reads),
        token_return(machine.token_return_cycles),
        escape_wait(machine.escape_wait_cycles) {}

  bool limits_reads() const { return input_reads < kVirtualChannels; }

  unsigned input_reads;  ///< packets that leave an input port's channels at the same time
  Tick token_return;     ///< from a tail's leaving until its room is known upstream
  Tick escape_wait;  ///< of an adaptive packet at a queue's head, before it enters a bubble ring
};

/// The routers, and the network's parts that they work on.
struct NetworkState {
  Routers routers;
  RouterDelays delays;
  Calendar& calendar;
  FlightPool& flights;
  Reception& reception;
  SimProbe* probe;  ///< null: nobody looks
  LinkProtocol protocol;
  std::vector<SendingEnd> ends{};  ///< [node · degree + link] where links are checked
  std::vector<Event> repeating{};  ///< links that send in the present cycle what they have held
  Outbox* const& outbox;  ///< where what leaves the block goes; null: there are no other blocks

  SendingEnd& end(Rank node, unsigned link) {
    return ends[std::size_t{node} * routers.degree() + link];
  }
  ProbedPacket probed(FlightId id) const {
    const FlightTag& tag = flights.tag(id);
    return {tag.serial, tag.source, flights.header(id).destination(), flights[id].chunks};
  }
  /// What links' CRCs are of.
  std::uint64_t word_of(FlightId id) const {
    return std::bit_cast<std::uint64_t>(flights[id].route) ^ std::uint64_t{id} << 32;
  }
  /// The directions that a packet at a node has still to go, without those after which failed links
  /// would cut it off.
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
  /// Of a head's ways that are left, those that may be its escape: all, or none.
  DirectionSet escapes(Rank rank, FlightId id, DirectionSet left) const {
    const Flight& flight = flights[id];
    if (left.empty() || !flight.dynamic) return left;
    const Rank to = flights.header(id).destination();
    return routers.failures()->leaves_escape(rank, to, flight.route) ? left : DirectionSet();
  }
  /// Where links may fail later, the ways that are left of a head's at `input`; one that has none
  /// takes others, if there are any: a dynamic packet, or one that is still in an injection FIFO.
  DirectionSet ways_left(Rank rank, Input input, FlightId id) {
    const DirectionSet left = passable(rank, id);
    return left.empty() && routers.failures()->may_change() ? other_ways(rank, input, id) : left;
  }
  /// A packet that can go no further: none of its ways is left, or its node has failed.
  bool is_lost(Rank rank, const Flight& flight) const {
    return !flight.directions().empty() ||
           (routers.failures() != nullptr && !routers.failures()->is_alive(rank));
  }

  /// The channels of the input ports that have as many packets on their way out as they can.
  std::uint64_t busy_inputs(const RouterState& state) const;
  /// Whether a packet at a queue's head has to wait before it enters the bubble channel `entering`.
  bool must_wait(Tick now, const Routers::Site& site, Input input, VirtualChannel entering) const {
    return delays.escape_wait != 0 && entering > VirtualChannel::dynamic1 &&
           waits_for_escape(input, flights[site.queues[input.index()].head]) &&
           now - routers.exposed_at(site.node, input) < delays.escape_wait;
  }
  /// Whether a waiting head is of those that must not escape at once: adaptive ones, unless their
  /// channel is a bubble channel already.
  bool waits_for_escape(Input input, const Flight& head) const {
    const bool in_bubble = !routers.is_fifo(input) && input.channel() > VirtualChannel::dynamic1;
    return !in_bubble && head.dynamic;
  }

  /// The read port of an input begins to read its head.
  FlightId start_reading(Tick now, const Routers::Site& site, Input input) {
    InputQueue& queue = site.queues[input.index()];
    const FlightId id = queue.head;
    queue.head = flights[id].next;
    site.state->reading |= input.bit();
    flights[id].next = kNoFlight;
    if (outbox != nullptr) announce_tokens(now, site, input);
    return id;
  }

  /// Packets that are at their destination move to the reception FIFOs that have room for them.
  void eject(Tick now, Rank node);

 private:
  bool try_eject(Tick now, const Routers::Site& site, Input input);
  DirectionSet other_ways(Rank rank, Input input, FlightId id);
  void announce_tokens(Tick now, const Routers::Site& site, Input input);
};

}  // namespace toroid::sim
