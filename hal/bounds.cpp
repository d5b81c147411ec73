#include "hal/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "hal/check.hpp"
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

/// The time of the slowest of all messages of an all-to-all, each alone on the machine. If nodes
/// are dead, one hop is counted, because the nodes that are farthest apart may be dead.
Tick farthest_message_cycles(const Machine& machine, const Shape& group,
                             const MessageCost& message) {
  const Failures* const failures = group.failures();
  if (failures != nullptr || group.is_twisted()) {
    const bool all_live = failures == nullptr || failures->living() == group.size();
    return lone_message_cycles(machine, message, all_live ? diameter(group) : 1,
                               usable_links(group));
  }
  std::vector<std::vector<Leg>> legs;
  for (unsigned d = 0; d < group.torus_dims(); ++d) legs.push_back(longest_legs(group, d, 0));
  const Tick inside = group.ranks().are_shared() ? memory_message_cycles(machine, message) : 0;
  return std::max(slowest_message_cycles(machine, message, legs), inside);
}

}  // namespace

Fraction hottest_link_messages(const Shape& shape, unsigned d) {
  const std::uint64_t k = shape.extent(d);
  const std::uint64_t nodes = shape.size() * std::uint64_t{shape.machine_ranks()};
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
  for (unsigned d = 0; d < shape.torus_dims(); ++d) {
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

MessageCost sent_message_cost(const Machine& machine, std::uint64_t payload_bytes) {
  if (payload_bytes == 0) return {1, machine.wire_bytes(1)};
  return message_cost(machine, payload_bytes);
}

DirectionSet shortest_directions(const Shape& shape, const Coord& from, const Coord& to) {
  constexpr DirectionSet kAll((1u << kMaxLinks) - 1);
  return directions_left(shape, from, to, kAll);
}

Tick lone_message_cycles(const Machine& machine, const MessageCost& message, unsigned hops,
                         unsigned links) {
  if (message.packets == 0) return 0;
  const std::uint64_t full_ones = message.packets - 1;
  const std::uint64_t full_bytes = machine.wire_bytes(kMaxChunks);
  const Tick full = machine.wire_cycles(full_bytes);
  const Tick last = machine.wire_cycles(message.wire_bytes - full_ones * full_bytes);
  const std::uint64_t rounds = full_ones / links;  // full packets that every link carries
  const Tick busiest_link = full_ones % links == 0 ? rounds * full + last : (rounds + 1) * full;
  const Tick injection = full_ones * machine.inject_cycles + last;
  const Tick reception = full_ones * machine.receive_cycles + last;
  return machine.inject_cycles + hops * Tick{machine.hop_latency_cycles} +
         std::max({busiest_link, injection, reception}) + machine.receive_cycles;
}

Tick memory_message_cycles(const Machine& machine, const MessageCost& message) {
  if (message.packets == 0) return 0;
  return (message.packets + 1) * Tick{machine.memory_packet_cycles};
}

bool stays_in_node(const Shape& shape, const Coord& from, const Coord& to) {
  return shape.ranks().are_shared() && minimal_hops(shape, from, to) == 0;
}

bool takes_long_ways(const Shape& shape) {
  return shape.failures() != nullptr && shape.failures()->list().long_ways;
}

Tick lone_message_cycles(const Machine& machine, const MessageCost& message, const Shape& shape,
                         const Coord& from, const Coord& to) {
  if (stays_in_node(shape, from, to)) return memory_message_cycles(machine, message);
  const unsigned links =
      takes_long_ways(shape) ? usable_links(shape) : shortest_directions(shape, from, to).size();
  return lone_message_cycles(machine, message, minimal_hops(shape, from, to), links);
}

std::vector<Leg> longest_legs(const Shape& shape, unsigned d, unsigned at) {
  const unsigned k = shape.extent(d);
  std::vector<Leg> legs = {{0, 0}};
  const unsigned most = shape.wraps(d) ? k / 2 : std::max(at, k - 1 - at);
  const bool is_tied = shape.wraps(d) && k % 2 == 0;
  if (most > 0) legs.push_back({most, is_tied ? 2u : 1u});
  if (is_tied && most > 1) legs.push_back({most - 1, 1});
  return legs;
}

Tick slowest_message_cycles(const Machine& machine, const MessageCost& message,
                            std::span<const std::vector<Leg>> legs) {
  std::vector<Leg> sums = {{0, 0}};
  for (const std::vector<Leg>& choices : legs) {
    std::vector<Leg> longer;
    for (const Leg& sum : sums)
      for (const Leg& leg : choices) longer.push_back({sum.hops + leg.hops, sum.links + leg.links});
    sums = std::move(longer);
  }
  Tick slowest = 0;
  for (const Leg& sum : sums)
    if (sum.links > 0)
      slowest = std::max(slowest, lone_message_cycles(machine, message, sum.hops, sum.links));
  return slowest;
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
  for (unsigned d = 0; d < shape.torus_dims(); ++d) {
    const bool one_neighbour = !shape.wraps(d) && shape.extent(d) == 2;
    if (shape.extent(d) > 1) links += one_neighbour ? 1 : 2;
  }
  return links;
}

unsigned diameter(const Shape& shape) {
  if (shape.is_twisted()) return shape.ways().diameter();
  unsigned sum = 0;
  for (unsigned d = 0; d < shape.torus_dims(); ++d)
    sum += shape.wraps(d) ? shape.extent(d) / 2 : shape.extent(d) - 1;
  return sum;
}

Bounds all_to_all_bounds(const Machine& machine, const Shape& group, const MessageCost& message) {
  const Rank members = group.failures() != nullptr ? group.failures()->living() : group.size();
  if (members <= 1 || message.packets == 0) return {};
  const std::uint64_t here = group.ranks().per_node() - 1;  // peers of a rank on its own node
  const std::uint64_t peers = members - 1 - here;
  const Fraction messages = hottest_link_messages(group);
  const auto cycles = [&](double bytes) {
    return whole_cycles(bytes * 8 / machine.link_bits_per_cycle,
                        "the traffic of one link (link_bits_per_cycle)");
  };
  Bounds bounds;
  const auto wire = static_cast<double>(message.wire_bytes);
  bounds.hottest_link = cycles(messages.value() * wire);
  const auto sent_by_node = static_cast<double>(peers * group.machine_ranks());
  if (peers > 0) bounds.injection = cycles(sent_by_node * wire / usable_links(group));
  bounds.processor = peers * message.packets * (machine.inject_cycles + machine.receive_cycles) +
                     here * message.packets * 2 * machine.memory_packet_cycles;
  bounds.zero_load = farthest_message_cycles(machine, group, message);
  return bounds;
}

}  // namespace toroid
