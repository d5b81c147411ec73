#include "router/sim/lean/lean_state.hpp"

#include <bit>

#include "hal/dimension_order.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "router/sim/router_state.hpp"

namespace toroid::sim::lean {
namespace {

DynamicDirections make_dynamic_directions(unsigned dims) {
  DynamicDirections all{};
  for (unsigned rule = 0; rule < PacketWord::kRules; ++rule) {
    const bool dynamic = rule != PacketWord::kDeterministic;
    if (dynamic && rule > dimension_orders(dims)) continue;
    for (unsigned set = 0; set < all[rule].size(); ++set)
      all[rule][set] = static_cast<std::uint8_t>(
          dynamic_directions(DirectionSet(static_cast<std::uint16_t>(set)), dynamic,
                             static_cast<DimensionOrder>(rule), dims)
              .bits());
  }
  return all;
}

/// Makes the requests of a packet: the dynamic channels of its dynamic directions, and the bubble
/// channel of its first minimal direction.
RequestRow make_row(unsigned dynamic, unsigned minimal) {
  RequestRow row;
  for (unsigned l = 0; l < kMostLinks; ++l) row.words[l] = 0u - (dynamic >> l & 1u);
  row.links = dynamic;
  if (minimal == 0) return row;
  const auto first = static_cast<unsigned>(std::countr_zero(minimal));
  row.words[kMostLinks + first] = ~0u;
  row.links |= 1u << first;
  return row;
}

std::vector<RequestRow> make_rows(const DynamicDirections& dynamic) {
  std::vector<RequestRow> rows;
  for (const auto& of_rule : dynamic)
    for (unsigned set = 0; set < of_rule.size(); ++set) rows.push_back(make_row(of_rule[set], set));
  return rows;
}

}  // namespace

LeanState::LeanState(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                     Range range)
    : links(shape.links()),
      channels(links * kVirtualChannels),
      inputs(channels + machine.injection_fifos + machine.priority_injection_fifos),
      block(range),
      dynamic_directions(make_dynamic_directions(shape.dims())),
      rows(make_rows(dynamic_directions)),
      records(range.count),
      neighbours(std::size_t{range.count} * 8, OutputLink::kNone),
      stalled(std::size_t{range.count} * (inputs - channels)),
      overflow(range.count),
      hops(machine.hop_latency_cycles),
      protocol(shape, machine, options, range),
      touched(range.count + std::size_t{1}) {
  for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
    wires.emplace_back(machine.wire_cycles(machine.wire_bytes(chunks)));
  std::array<std::uint8_t, kVirtualChannels> tokens;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    tokens[c] = static_cast<std::uint8_t>(machine.channel_chunks(static_cast<VirtualChannel>(c)));
  for (Rank node = 0; node < range.count; ++node) {
    records[node].idle = static_cast<std::uint8_t>((1u << links) - 1);
    for (unsigned l = 0; l < links; ++l) {
      records[node].links[l].tokens = tokens;
      const auto next = shape.neighbour(range.first + node, {static_cast<std::uint8_t>(l)});
      if (next) neighbours[std::size_t{node} * 8 + l] = *next - range.first;
    }
  }
}

void LeanState::move_up(Rank node, unsigned input) {
  RouterRecord& router = records[node];
  QueueState& queue = router.queues[input];
  router.packets[input][(queue.first() + queue.count()) % RouterRecord::kPlaces] =
      overflow.pop(node, input);
  queue.bits = static_cast<std::uint8_t>(queue.bits + 4u);
  if (overflow.empty(node, input)) router.overflowing &= ~(1u << input);
}

}  // namespace toroid::sim::lean
