#include "packet/traffic/traffic_bounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/direction.hpp"
#include "hal/tick.hpp"
#include "packet/traffic/traffic_load.hpp"

namespace toroid {
namespace {

/// The machine with extent 1 outside the given dimensions.
Shape group_shape(const Shape& shape, unsigned inside) {
  std::string text;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const bool in = (inside >> d & 1u) != 0;
    text += fmt::format("{}{}{}", d == 0 ? "" : "x", in ? shape.extent(d) : 1,
                        shape.wraps(d) ? "" : "m");
  }
  return Shape::parse(text);
}

Bounds bounds_of_group(const Machine& machine, const Shape& group, const Traffic& traffic) {
  return all_to_all_bounds(machine, group, message_cost(machine, traffic.message_bytes().value()));
}

Tick cycles(const Machine& machine, double wire_bytes) {
  return whole_cycles(wire_bytes * 8 / machine.link_bits_per_cycle,
                      "the load of one link (link_bits_per_cycle)");
}

double per_link(const EndLoad& load) {
  return load.links.empty() ? 0 : load.wire_bytes / load.links.size();
}

/// The packets and bytes that one node sends and receives.
struct NodeLoad {
  std::uint64_t sent = 0;  ///< packets
  std::uint64_t received = 0;
  double out = 0;  ///< bytes on the wire
  double in = 0;
};

/// For each dimension, the sum over all messages of their bytes times the hops in it that no way
/// avoids. On a twisted torus hops in one dimension may replace hops in another, so the first entry
/// counts the hops of all dimensions.
class HopBytes {
 public:
  explicit HopBytes(const Shape& shape) : shape_(shape) {}

  void add(const Coord& from, const Coord& to, unsigned hops, double bytes) {
    if (shape_.is_twisted()) {
      along_[0] += hops * bytes;
      return;
    }
    for (unsigned d = 0; d < shape_.dims(); ++d) {
      const unsigned apart = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
      const unsigned least = shape_.wraps(d) ? std::min(apart, shape_.extent(d) - apart) : apart;
      along_[d] += least * bytes;
    }
  }
  /// Bytes per link, on average over the links that must carry them, in the busiest dimension.
  double mean_link() const {
    if (shape_.is_twisted())
      return along_[0] / (static_cast<double>(usable_links(shape_)) * shape_.size());
    double most = 0;
    for (unsigned d = 0; d < shape_.dims(); ++d)
      if (along_[d] > 0) most = std::max(most, along_[d] / links_along(d));
    return most;
  }

 private:
  double links_along(unsigned d) const {
    const unsigned of_a_line = shape_.wraps(d) ? shape_.extent(d) : shape_.extent(d) - 1;
    return 2.0 * of_a_line * (shape_.size() / shape_.extent(d));
  }

  const Shape& shape_;
  std::array<double, kMaxDims> along_{};
};

}  // namespace

Bounds traffic_bounds_of_any_ways(const Machine& machine, const Shape& shape,
                                  const Traffic& traffic) {
  std::vector<NodeLoad> loads(shape.size());
  HopBytes hop_bytes(shape);
  unsigned farthest = 0;
  for (Rank from = 0; from < shape.size(); ++from)
    for (const Rank to : traffic.targets(from)) {
      const MessageCost message = message_cost(machine, traffic.bytes(from, to));
      const unsigned hops = minimal_hops(shape, shape.coord(from), shape.coord(to));
      const auto bytes = static_cast<double>(message.wire_bytes);
      farthest = std::max(farthest, hops);
      hop_bytes.add(shape.coord(from), shape.coord(to), hops, bytes);
      loads[from].sent += message.packets;
      loads[from].out += bytes;
      loads[to].received += message.packets;
      loads[to].in += bytes;
    }
  if (farthest == 0) return {};
  const unsigned links = usable_links(shape);
  Bounds bounds;
  bounds.hottest_link = cycles(machine, hop_bytes.mean_link());
  for (const NodeLoad& load : loads) {
    bounds.injection =
        std::max(bounds.injection, cycles(machine, std::max(load.out, load.in) / links));
    bounds.processor = std::max(bounds.processor, load.sent * machine.inject_cycles +
                                                      load.received * machine.receive_cycles);
  }
  bounds.zero_load = machine.inject_cycles + farthest * Tick{machine.hop_latency_cycles} +
                     machine.wire_cycles(machine.wire_bytes(1));
  return bounds;
}

Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule) {
  if (rule == TieRule::split || rule == TieRule::balanced || rule == TieRule::both) rule.reset();
  const unsigned inside = traffic.all_to_all_inside();
  const unsigned all = (1u << shape.dims()) - 1;
  if (shape.is_twisted())
    return (inside & all) == all ? bounds_of_group(machine, shape, traffic)
                                 : traffic_bounds_of_any_ways(machine, shape, traffic);
  if (inside != 0 && !rule) return bounds_of_group(machine, group_shape(shape, inside), traffic);
  const TrafficFlow flow(machine, shape, traffic);
  if (!flow.farthest()) return {};
  Bounds bounds;
  bounds.hottest_link = cycles(machine, flow.hottest_link(rule));
  for (Rank r = 0; r < shape.size(); ++r) {
    const EndLoad& out = flow.source(r);
    const EndLoad& in = flow.destination(r);
    bounds.injection =
        std::max(bounds.injection, cycles(machine, std::max(per_link(out), per_link(in))));
    bounds.processor = std::max(bounds.processor, out.packets * machine.inject_cycles +
                                                      in.packets * machine.receive_cycles);
  }
  bounds.zero_load = machine.inject_cycles + *flow.farthest() * Tick{machine.hop_latency_cycles} +
                     machine.wire_cycles(machine.wire_bytes(1));
  return bounds;
}

}  // namespace toroid
