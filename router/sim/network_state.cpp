#include "router/sim/network_state.hpp"

#include "hal/route.hpp"

namespace toroid::sim {

void NetworkState::eject(Tick now, Rank node) {
  const Routers::Site site = routers.site(node);
  std::uint64_t left = 0;
  for (std::uint64_t rest = site.state->at_destination; rest != 0;) {
    const Input input(pop_lowest(rest));
    if (!try_eject(now, site, input)) left |= input.bit();
  }
  site.state->at_destination = left;
}

/// Virtual cut-through ends here: a packet is received only if the FIFO has room for all of it. It
/// then moves at the link's rate. A lost packet needs no room.
inline bool NetworkState::try_eject(Tick now, const Routers::Site& site, Input input) {
  if (delays.limits_reads() && (busy_inputs(*site.state) & input.bit()) != 0) return false;
  Flight& flight = flights[site.queues[input.index()].head];
  const bool is_lost = this->is_lost(routers.rank_of(site.node), flight);
  const unsigned fifo = is_lost ? kNowhere : reception.fifo_for(flight.high_priority, input);
  if (!is_lost && !reception.try_reserve(site.node, fifo, flight.chunks)) return false;
  const FlightId id = start_reading(now, site, input);
  flight.reception_fifo = static_cast<std::uint8_t>(fifo) & 127u;
  calendar.tails(flight.chunks)
      .delivered.push({EventKind::delivered, site.node, input.index(), id});
  return true;
}

/// Gives a packet without a path a new route, and returns the directions of that route. Returns
/// none if there is no other path, or if the node has failed. Also returns none for a deterministic
/// packet that has left its injection FIFO, because it keeps its dimension order.
DirectionSet NetworkState::other_ways(Rank rank, Input input, FlightId id) {
  Flight& flight = flights[id];
  const Failures& failures = *routers.failures();
  if ((!flight.dynamic && !routers.is_fifo(input)) || !failures.is_alive(rank)) return {};
  const Shape& shape = routers.shape();
  const Rank to = flights.header(id).destination();
  const auto hints = failures.way(rank, to, flight.dynamic);
  if (!hints) return {};
  flight.route = route_along(shape, shape.coord(rank), shape.coord(to), *hints).value();
  return passable(rank, id);
}

std::uint64_t NetworkState::busy_inputs(const RouterState& state) const {
  std::uint64_t busy = 0;
  for (unsigned port = 0; port < routers.degree(); ++port) {
    const std::uint64_t channels = input_channels(port);
    const auto reads = static_cast<unsigned>(std::popcount(state.reading & channels));
    if (reads >= delays.input_reads) busy |= channels;
  }
  return busy;
}

void NetworkState::announce_tokens(Tick now, const Routers::Site& site, Input input) {
  if (routers.is_fifo(input)) return;
  const Direction travelling = input.travelling();
  const Rank upstream = routers.behind(site, travelling.opposite());
  if (routers.holds(upstream)) return;
  const unsigned chunks = site.queues[input.index()].chunks;
  outbox->return_tokens(now + calendar.wire_cycles(chunks) + delays.token_return,
                        routers.rank_of(upstream), travelling.index,
                        {static_cast<unsigned>(input.channel()), chunks});
}

}  // namespace toroid::sim
