#include "hal/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/twisted_torus_paths.hpp"

namespace toroid {

namespace {

unsigned hops_within(const Route& way, unsigned dimensions) {
  unsigned hops = 0;
  for (unsigned d = 0; d < kMaxDims; ++d) hops += (dimensions >> d & 1u) * way.hops[d];
  return hops;
}

/// A lower bound on the mean load of the links of a set of dimensions, in messages per link. It
/// holds for every choice of shortest paths.
Fraction twisted_load(const Shape& shape, unsigned dimensions) {
  std::uint64_t hops = 0;
  for (Rank offset = 0; offset < shape.size(); ++offset) {
    unsigned fewest = ~0u;
    for (const Route& way : shape.ways().to_offset(offset))
      fewest = std::min(fewest, hops_within(way, dimensions));
    hops += fewest;
  }
  return {hops, 2 * static_cast<std::uint64_t>(std::popcount(dimensions))};
}

bool is_more(const Fraction& a, const Fraction& b) {
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

Fraction hottest_twisted_link_messages(const Shape& shape) {
  Fraction hottest;
  for (unsigned dimensions = 1; dimensions < 1u << shape.dims(); ++dimensions) {
    bool all_have_links = true;
    for (unsigned d = 0; d < shape.dims(); ++d)
      all_have_links &= (dimensions >> d & 1u) == 0 || shape.extent(d) > 1;
    if (!all_have_links) continue;
    const Fraction load = twisted_load(shape, dimensions);
    if (is_more(load, hottest)) hottest = load;
  }
  return hottest;
}

/// Hops of a shortest path along dimension d between two coordinates.
unsigned hops_along(const Shape& shape, unsigned d, unsigned from, unsigned to) {
  const unsigned apart = from < to ? to - from : from - to;
  return shape.wraps(d) ? std::min(apart, shape.extent(d) - apart) : apart;
}

/// Mean load of the working links of dimension d, in messages per link, if every living node sends
/// one message to every other living node.
Fraction surviving_load(const Shape& shape, unsigned d) {
  std::array<std::uint64_t, kMaxExtent> living{};
  std::uint64_t links = 0;
  for (Rank node = 0; node < shape.size(); ++node) {
    if (shape.is_alive(node)) ++living[shape.coord(node)[d]];
    links += shape.neighbour(node, Direction::plus(d)) ? 1 : 0;
    links += shape.neighbour(node, Direction::minus(d)) ? 1 : 0;
  }
  std::uint64_t hops = 0;
  for (unsigned from = 0; from < shape.extent(d); ++from)
    for (unsigned to = 0; to < shape.extent(d); ++to)
      hops += living[from] * living[to] * hops_along(shape, d, from, to);
  return links == 0 ? Fraction{} : Fraction{hops, links};
}

}  // namespace

Fraction hottest_link_messages(const Shape& shape, unsigned d) {
  const std::uint64_t k = shape.extent(d);
  const std::uint64_t nodes = shape.size();
  if (k == 1) return {};
  if (shape.is_twisted()) return twisted_load(shape, 1u << d);
  const std::uint64_t squared = k % 2 == 0 ? k * k : k * k - 1;
  const Fraction whole{nodes * squared, (shape.wraps(d) ? 8 : 4) * k};
  if (shape.failures() == nullptr) return whole;
  const Fraction surviving = surviving_load(shape, d);
  const bool all_live = shape.failures()->living() == shape.size();
  return all_live && is_more(whole, surviving) ? whole : surviving;
}

Fraction hottest_link_messages(const Shape& shape) {
  if (shape.is_twisted()) return hottest_twisted_link_messages(shape);
  Fraction hottest;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const Fraction f = hottest_link_messages(shape, d);
    if (is_more(f, hottest)) hottest = f;
  }
  return hottest;
}

MessageCost message_cost(const Machine& machine, std::uint64_t payload_bytes) {
  const std::uint64_t full = payload_bytes / kPayloadBytes;
  const auto rest = static_cast<unsigned>(payload_bytes % kPayloadBytes);
  MessageCost cost{full, full * machine.wire_bytes(kMaxChunks)};
  if (rest == 0) return cost;
  return {cost.packets + 1, cost.wire_bytes + machine.wire_bytes(chunks_for(rest))};
}

Tick Bounds::max() const {
  return std::max({hottest_link, injection, processor, zero_load, engine});
}

Machine moved_by_engines(Machine machine) {
  TOROID_CHECK(machine.has_dma_engine());
  machine.inject_cycles = machine.dma_inject_cycles;
  machine.receive_cycles = machine.dma_receive_cycles;
  return machine;
}

Bounds bounds_by_engines(Bounds bounds, const Machine& machine, std::uint64_t messages) {
  bounds.engine = bounds.processor;
  bounds.processor = messages * machine.dma_descriptor_cycles;
  return bounds;
}

unsigned usable_links(const Shape& shape) {
  unsigned links = 0;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const bool one_neighbour = !shape.wraps(d) && shape.extent(d) == 2;
    if (shape.extent(d) > 1) links += one_neighbour ? 1 : 2;
  }
  return links;
}

unsigned diameter(const Shape& shape) {
  if (shape.is_twisted()) return shape.ways().diameter();
  unsigned sum = 0;
  for (unsigned d = 0; d < shape.dims(); ++d)
    sum += shape.wraps(d) ? shape.extent(d) / 2 : shape.extent(d) - 1;
  return sum;
}

Bounds all_to_all_bounds(const Machine& machine, const Shape& group, const MessageCost& message) {
  const Rank members = group.failures() != nullptr ? group.failures()->living() : group.size();
  if (members <= 1 || message.packets == 0) return {};
  const std::uint64_t peers = members - 1;
  const Fraction messages = hottest_link_messages(group);
  const auto cycles = [&](double bytes) {
    return whole_cycles(bytes * 8 / machine.link_bits_per_cycle,
                        "the traffic of one link (link_bits_per_cycle)");
  };
  Bounds bounds;
  const auto wire = static_cast<double>(message.wire_bytes);
  bounds.hottest_link = cycles(messages.value() * wire);
  bounds.injection = cycles(static_cast<double>(peers) * wire / usable_links(group));
  bounds.processor = peers * message.packets * (machine.inject_cycles + machine.receive_cycles);
  // At least one packet of one chunk is injected and crosses the machine's diameter. If nodes are
  // dead, the bound counts only one link, because the nodes that are farthest apart may be dead.
  const unsigned farthest = members == group.size() ? diameter(group) : 1;
  bounds.zero_load = machine.inject_cycles + farthest * Tick{machine.hop_latency_cycles} +
                     machine.wire_cycles(machine.wire_bytes(1));
  return bounds;
}

}  // namespace toroid
