#include "router/sim/network.hpp"

#include <cstddef>
#include <memory>
#include <span>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/general_network.hpp"
#include "router/sim/lean/lean_network.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

void Network::schedule(const WindowMessage& message) {
  std::span<const std::byte> payloads = message.payloads;
  for (const auto& [at, event] : message.events) {
    Event here(event.kind(), event.node() - block_.first, event.index(), event.value());
    if (event.kind() == EventKind::arrive) {
      const auto& [flight, header] = message.packets[event.value()];
      const std::size_t bytes = header.payload_bytes();
      const FlightId id = flights_.add(flight, header, payloads.first(bytes));
      payloads = payloads.subspan(bytes);
      here = Event(EventKind::arrive, here.node(), here.index(), id);
    }
    calendar_.at(at, here);
  }
}

std::unique_ptr<Network> make_network(const Shape& shape, const Machine& machine,
                                      const RoutingOptions& options, Range block, SimProbe* probe) {
  if (!options.general && LeanNetwork::serves(shape, machine, options, probe))
    return std::make_unique<LeanNetwork>(shape, machine, options, block);
  return std::make_unique<GeneralNetwork>(shape, machine, options, block, probe);
}

}  // namespace toroid::sim
