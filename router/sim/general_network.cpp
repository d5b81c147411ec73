#include "router/sim/general_network.hpp"

#include "router/sim/link_retransmission.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {
namespace {

/// The state of up to this many nodes fits approximately in a typical second-level cache;
/// prefetching it would cost more than it saves.
constexpr Rank kNodesInCache = 256;

}  // namespace

GeneralNetwork::GeneralNetwork(const Shape& shape, const Machine& machine,
                               const RoutingOptions& options, Range block, FlightMemory& store,
                               SimProbe* probe)
    : Network(shape, machine, block, store, probe),
      state_{.routers = Routers(shape, machine, block),
             .delays = RouterDelays(machine),
             .calendar = calendar_,
             .flights = flights_,
             .reception = reception_,
             .probe = probe,
             .protocol = LinkRetransmission(shape, machine, options, block),
             .outbox = outbox_},
      fetches_early_(block.count > kNodesInCache),
      arbitration_(state_, machine, options, fetches_early_) {
  if (state_.protocol.is_on()) state_.ends.resize(std::size_t{block.count} * shape.links());
}

/// Incoming packets are identified by their numbers.
void GeneralNetwork::schedule(const WindowMessage& message, std::size_t /*neighbour*/) {
  for (const auto& [at, packet, node, input] : message.packets)
    calendar_.at(at,
                 {EventKind::arrive, node - block_.first, input, static_cast<FlightId>(packet)});
  for (const auto& [at, node, link, channel, chunks] : message.tokens)
    calendar_.at(at,
                 {EventKind::tokens, node - block_.first, link, Returned{channel, chunks}.pack()});
}

std::optional<RoutedPacket> GeneralNetwork::head(Rank rank, Input input) const {
  const FlightId id = state_.routers.queue(rank - block_.first, input).head;
  if (id == kNoFlight) return std::nullopt;
  const Flight& packet = flights_[id];
  const DirectionSet left = state_.passable(rank, id);
  const DirectionSet dynamic =
      dynamic_directions(left, packet.dynamic, packet.order, state_.routers.degree() / 2);
  const bool may_escape =
      state_.routers.failures() == nullptr || !state_.escapes(rank, id, left).empty();
  return RoutedPacket{left, dynamic, packet.chunks, packet.high_priority, may_escape};
}

void GeneralNetwork::add_to(FabricCounters& counters) const {
  counters.packet_hops += arbitration_.packet_hops();
  if (state_.protocol.is_on())
    state_.protocol.add_to(counters.health, [this](Rank node, unsigned link) {
      return state_.ends[std::size_t{node} * state_.routers.degree() + link].sent_crc;
    });
  const std::span<const LinkCounters> links = link_counters();
  counters.links.insert(counters.links.end(), links.begin(), links.end());
}

}  // namespace toroid::sim
