#include "router/sim/network.hpp"

#include <cstddef>
#include <optional>
#include <span>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network_state.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {
namespace {

/// Up to here the state of all nodes fits a usual second-level cache, more or less, and fetching
/// early costs more than it saves.
constexpr Rank kNodesInCache = 256;

}  // namespace

Network::Network(const Shape& shape, const Machine& machine, RoutingOptions options, Range block,
                 SimProbe* probe)
    : state_{.routers = Routers(shape, machine, block),
             .calendar = Calendar(machine),
             .flights = FlightPool(),
             .reception = Reception(shape, machine, block.count),
             .probe = probe},
      fetches_early_(block.count > kNodesInCache),
      arbitration_(state_, machine, options, fetches_early_) {}

void Network::schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) {
  const Source source = Source::fifo(state_.routers.degree(), fifo);
  state_.calendar.at(at, {EventKind::injected, node, source.index(), flight});
}

void Network::schedule(const WindowMessage& message) {
  std::span<const std::byte> payloads = message.payloads;
  for (const auto& [at, event] : message.events) {
    Event here(event.kind(), event.node() - block().first, event.index(), event.value());
    if (event.kind() == EventKind::arrive) {
      const auto& [flight, header] = message.packets[event.value()];
      const std::size_t bytes = header.payload_bytes();
      const FlightId id = state_.flights.add(flight, header, payloads.first(bytes));
      payloads = payloads.subspan(bytes);
      here = Event(EventKind::arrive, here.node(), here.index(), id);
    }
    state_.calendar.at(at, here);
  }
}

void Network::release_reception(Tick now, Rank node, FlightId id) {
  state_.reception.release(node, state_.flights[id].reception_fifo, state_.flights[id].chunks);
  state_.flights.remove(id);
  if (state_.routers.state(node).at_destination != 0) state_.eject(now, node);
}

std::optional<RoutedPacket> Network::head(Rank rank, Source source) const {
  const FlightId id = queue(rank, source).head;
  if (id == kNoFlight) return std::nullopt;
  const Flight& packet = flight(id);
  const DirectionSet left = state_.passable(rank, id);
  const DirectionSet dynamic =
      dynamic_directions(left, packet.dynamic, packet.order, state_.routers.degree() / 2);
  return RoutedPacket{left, dynamic, packet.chunks, packet.high_priority};
}

void Network::add_to(FabricCounters& counters) const {
  counters.packet_hops += arbitration_.packet_hops();
  const std::span<const LinkCounters> links = link_counters();
  counters.links.insert(counters.links.end(), links.begin(), links.end());
}

}  // namespace toroid::sim
