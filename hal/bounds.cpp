#include "hal/bounds.hpp"

#include <algorithm>
#include <cmath>

namespace toroid {

Fraction hottest_link_messages(const Shape& shape, unsigned d) {
  const std::uint64_t k = shape.extent(d);
  const std::uint64_t nodes = shape.size();
  if (k == 1) return {};
  const std::uint64_t squared = k % 2 == 0 ? k * k : k * k - 1;
  return {nodes * squared, (shape.wraps(d) ? 8 : 4) * k};
}

Fraction hottest_link_messages(const Shape& shape) {
  Fraction hottest;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const Fraction f = hottest_link_messages(shape, d);
    if (f.numerator * hottest.denominator > hottest.numerator * f.denominator) hottest = f;
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
  return std::max({hottest_link, injection, processor, zero_load});
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
  unsigned sum = 0;
  for (unsigned d = 0; d < shape.dims(); ++d)
    sum += shape.wraps(d) ? shape.extent(d) / 2 : shape.extent(d) - 1;
  return sum;
}

Bounds all_to_all_bounds(const Machine& machine, const Shape& group, const MessageCost& message) {
  if (group.size() == 1 || message.packets == 0) return {};
  const std::uint64_t peers = group.size() - 1;
  const Fraction messages = hottest_link_messages(group);
  const auto cycles = [&](double bytes) {
    return static_cast<Tick>(std::ceil(bytes * 8 / machine.link_bits_per_cycle));
  };
  Bounds bounds;
  const auto wire = static_cast<double>(message.wire_bytes);
  bounds.hottest_link = cycles(messages.value() * wire);
  bounds.injection = cycles(static_cast<double>(peers) * wire / usable_links(group));
  bounds.processor = peers * message.packets * (machine.inject_cycles + machine.receive_cycles);
  // Even the emptiest packet of the message has to cross the machine after the others have left.
  bounds.zero_load = machine.inject_cycles + diameter(group) * Tick{machine.hop_latency_cycles} +
                     machine.wire_cycles(machine.wire_bytes(1));
  return bounds;
}

Tick paper_model_exchange(const Machine& machine, const Shape& group,
                          std::uint64_t payload_bytes_received) {
  double hops = 0;
  for (unsigned d = 0; d < group.dims(); ++d)
    if (group.extent(d) > 1) hops += group.extent(d) / (group.wraps(d) ? 4.0 : 2.0);
  unsigned links = 0;
  for (unsigned d = 0; d < group.dims(); ++d) links += group.extent(d) > 1 ? 2 : 0;
  if (links == 0) return 0;
  constexpr double kUtilisation = 0.8;
  const double bytes_per_cycle = machine.link_bits_per_cycle / 8;
  return static_cast<Tick>(std::llround(static_cast<double>(payload_bytes_received) * hops /
                                        (links * bytes_per_cycle * kUtilisation)));
}

}  // namespace toroid
