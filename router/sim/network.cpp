#include "router/sim/network.hpp"

#include <cstddef>
#include <memory>
#include <span>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/general_network.hpp"
#include "router/sim/lean/lean_network.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

void Network::schedule(const WindowMessage& message) {
  std::span<const std::byte> payloads = message.payloads;
  for (const RemotePacket& packet : message.packets) {
    const std::size_t bytes = packet.header.payload_bytes();
    const FlightId id = flights_.add(packet.flight, packet.header, payloads.first(bytes));
    payloads = payloads.subspan(bytes);
    schedule_arrival(packet.at, packet.node - block_.first, packet.source, id);
  }
  for (const RemoteTokens& tokens : message.tokens)
    schedule_tokens(tokens.at, tokens.node - block_.first, tokens.link,
                    {tokens.channel, tokens.chunks});
}

std::unique_ptr<Network> make_network(const Shape& shape, const Machine& machine,
                                      const RoutingOptions& options, Range block, SimProbe* probe) {
  if (!options.general && LeanNetwork::serves(shape, machine, options, probe))
    return std::make_unique<LeanNetwork>(shape, machine, options, block);
  return std::make_unique<GeneralNetwork>(shape, machine, options, block, probe);
}

}  // namespace toroid::sim
