#include "packet/traffic/traffic_bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "hal/twisted_torus_paths.hpp"
#include "packet/traffic/congestion_bound.hpp"
#include "packet/traffic/known_bounds.hpp"
#include "packet/traffic/traffic_load.hpp"

namespace toroid {
namespace {

/// The machine with extent 1 outside the given dimensions.
Shape group_shape(const Shape& shape, unsigned inside) {
  std::vector<unsigned> extents;
  for (unsigned d = 0; d < shape.dims(); ++d)
    extents.push_back((inside >> d & 1u) != 0 ? shape.extent(d) : 1);
  return shape.resized(extents);
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

/// The bounds that the loads of nodes and their ranks as senders and as receivers set. [rank]
void raise_by_ends(Bounds& bounds, const Machine& machine, const Shape& shape,
                   const std::vector<EndLoad>& out, const std::vector<EndLoad>& in) {
  for (Rank first = 0; first < shape.size(); first += shape.ranks().per_node()) {
    EndLoad node_out, node_in;
    for (Rank r = first; r < first + shape.ranks().per_node(); ++r) {
      node_out += out[r];
      node_in += in[r];
      bounds.processor =
          std::max(bounds.processor,
                   out[r].packets * machine.inject_cycles + in[r].packets * machine.receive_cycles +
                       (out[r].copies + in[r].copies) * machine.memory_packet_cycles);
    }
    bounds.injection = std::max(bounds.injection,
                                cycles(machine, std::max(per_link(node_out), per_link(node_in))));
  }
}

/// The fewest hops of a shortest path in a set of dimensions of a twisted torus.
unsigned fewest_within(const Shape& shape, Rank offset, unsigned dimensions) {
  unsigned fewest = ~0u;
  for (const Route& way : shape.ways().to_offset(offset)) {
    unsigned hops = 0;
    for (unsigned d = 0; d < shape.dims(); ++d) hops += (dimensions >> d & 1u) * way.hops[d];
    fewest = std::min(fewest, hops);
  }
  return fewest;
}

/// For each dimension, the sum over all messages of their bytes times the hops in it that no path
/// avoids. On a twisted torus hops in one dimension may replace hops in another. There the sums are
/// those of sets of dimensions, given as bits; paths that are not shortest cannot avoid the hops of
/// all dimensions together.
class HopBytes {
 public:
  HopBytes(const Shape& shape, bool shortest_paths)
      : shape_(shape), all_((1u << shape.torus_dims()) - 1), first_(shortest_paths ? 1 : all_) {}

  void add(const Coord& from, const Coord& to, double bytes) {
    if (shape_.is_twisted()) return add_twisted(shape_.offset(from, to), bytes);
    for (unsigned d = 0; d < shape_.torus_dims(); ++d) {
      const unsigned apart = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
      const unsigned least = shape_.wraps(d) ? std::min(apart, shape_.extent(d) - apart) : apart;
      along_[1u << d] += least * bytes;
    }
  }
  /// Bytes per link, on average over the links that must carry them. The dimension or set of
  /// dimensions with most bytes counts.
  double mean_link() const {
    double most = 0;
    for (unsigned set = 1; set <= all_; ++set)
      if (along_[set] > 0) most = std::max(most, along_[set] / links_along(set));
    return most;
  }

 private:
  void add_twisted(Rank offset, double bytes) {
    for (unsigned set = first_; set <= all_; ++set)
      along_[set] += fewest_within(shape_, offset, set) * bytes;
  }
  double links_along(unsigned set) const {
    double links = 0;
    for (unsigned d = 0; d < shape_.torus_dims(); ++d) {
      const unsigned k = shape_.extent(d);
      if ((set >> d & 1u) != 0 && k > 1)
        links += 2.0 * (shape_.wraps(d) ? k : k - 1) * (shape_.nodes() / k);
    }
    return links;
  }

  const Shape& shape_;
  unsigned all_;
  unsigned first_;  ///< the first set that is counted on a twisted torus
  std::array<double, 1u << kMaxDims> along_{};  ///< [set of dimensions]
};

/// Bounds from sums over all messages. Messages may leave and arrive by the first links of their
/// shortest paths or, without `shortest_paths`, by all links of a node.
Bounds bounds_of_sums(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      bool shortest_paths) {
  std::vector<EndLoad> out(shape.size());
  std::vector<EndLoad> in(shape.size());
  HopBytes hop_bytes(shape, shortest_paths);
  Bounds bounds;
  for (Rank from = 0; from < shape.size(); ++from)
    for (const Rank to : traffic.targets(from)) {
      const MessageCost message = message_cost(machine, traffic.bytes(from, to));
      if (message.packets == 0) continue;
      const Coord a = shape.coord(from), b = shape.coord(to);
      if (stays_in_node(shape, a, b)) {
        out[from].copies += message.packets;
        in[to].copies += message.packets;
        bounds.zero_load = std::max(bounds.zero_load, memory_message_cycles(machine, message));
        continue;
      }
      const DirectionSet shortest = shortest_directions(shape, a, b);
      const DirectionSet first = shortest_paths ? shortest : links_of(shape, from);
      const DirectionSet last = shortest_paths ? shortest : links_of(shape, to);
      const unsigned links = std::min(first.size(), last.size());
      const Tick alone = lone_message_cycles(machine, message, minimal_hops(shape, a, b), links);
      hop_bytes.add(a, b, static_cast<double>(message.wire_bytes));
      out[from].add(message, first);
      in[to].add(message, last);
      bounds.zero_load = std::max(bounds.zero_load, alone);
    }
  bounds.hottest_link = cycles(machine, hop_bytes.mean_link());
  raise_by_ends(bounds, machine, shape, out, in);
  return bounds;
}

/// The bounds for shortest paths without congestion_bound().
Bounds bounds_by_layers(const Machine& machine, const Shape& shape, const Traffic& traffic,
                        std::optional<TieRule> rule) {
  const TrafficFlow flow(machine, shape, traffic);
  Bounds bounds;
  bounds.hottest_link = cycles(machine, flow.hottest_link(rule));
  bounds.zero_load = flow.zero_load();
  raise_by_ends(bounds, machine, shape, flow.sources(), flow.destinations());
  return bounds;
}

/// The number of hops that congestion_bound() may look at: some ten milliseconds' worth.
constexpr std::uint64_t kSteps = 4'000'000;
/// With more pairs than this, the demands are not used.
constexpr std::size_t kMostDemands = 1'000'000;

/// Whether messages come from more nodes than congestion_bound() considers.
bool has_too_many_sources(const Shape& shape, const Traffic& traffic) {
  const std::uint64_t most = kSteps / shape.size();
  std::uint64_t sources = 0;
  for (Rank from = 0; shape.size() > most && sources <= most && from < shape.size(); ++from)
    sources += traffic.targets(from).empty() ? 0 : 1;
  return sources > most;
}

/// The demands of nodes on each other. None if congestion_bound() would not use them, or if there
/// are more than kMostDemands.
std::vector<Demand> demands_of(const Machine& machine, const Shape& shape, const Traffic& traffic) {
  std::vector<Demand> demands;
  if (has_too_many_sources(shape, traffic)) return demands;
  for (Rank from = 0; from < shape.size(); ++from) {
    for (const Rank to : traffic.targets(from)) {
      const auto bytes = message_cost(machine, traffic.bytes(from, to)).wire_bytes;
      const Rank a = shape.ranks().node(from), b = shape.ranks().node(to);
      if (bytes > 0 && a != b) demands.push_back({a, b, static_cast<double>(bytes)});
    }
    if (demands.size() > kMostDemands) return {};
  }
  return demands;
}

/// Whether bounds include that of congestion_bound().
enum class Search : std::uint8_t { yes, no };

/// Raises the bound of the hottest link to that of the links of the busiest node and, with a
/// search, to that of congestion_bound().
Bounds with_congestion(Bounds bounds, const Machine& machine, const Shape& shape,
                       const Traffic& traffic, Search search) {
  bounds.hottest_link = std::max(bounds.hottest_link, bounds.injection);
  if (search == Search::no) return bounds;
  const double known = static_cast<double>(bounds.hottest_link) * machine.link_bits_per_cycle / 8;
  const double bytes = congestion_bound(shape.torus().without_failures(),
                                        demands_of(machine, shape, traffic), kSteps, known);
  bounds.hottest_link = std::max(bounds.hottest_link, cycles(machine, bytes));
  return bounds;
}

/// The FIFOs, as bits, that take packets in some of these directions.
unsigned fifos_for(std::span<const DirectionSet> fifos, DirectionSet directions) {
  unsigned set = 0;
  for (unsigned f = 0; f < fifos.size(); ++f) set |= (fifos[f].meets(directions) ? 1u : 0u) << f;
  return set;
}

/// Bytes of the FIFO with most bytes, if they are shared as evenly as possible. `bytes`: [set of
/// FIFOs] the bytes that may go through these FIFOs only.
double busiest_fifo_bytes(const std::map<unsigned, double>& bytes) {
  unsigned all = 0;
  for (const auto& [set, of_set] : bytes) all |= set;
  const auto share = [&](unsigned within) {
    double sum = 0;
    for (const auto& [set, of_set] : bytes) sum += (set & ~within) == 0 ? of_set : 0;
    return within == 0 ? 0 : sum / std::popcount(within);
  };
  double most = share(all);
  for (const auto& [set, of_set] : bytes) most = std::max(most, share(set));
  return most;
}

/// Whether a message may leave its shortest paths, because links have failed.
Bounds bounds_of_shortest_ways(const Machine& machine, const Shape& shape, const Traffic& traffic,
                               std::optional<TieRule> rule, Search search) {
  const unsigned inside = traffic.all_to_all_inside();
  const unsigned all = (1u << shape.dims()) - 1;
  if (shape.is_twisted()) {
    const bool is_among_all = (inside & all) == all;
    return with_congestion(is_among_all ? bounds_of_group(machine, shape, traffic)
                                        : bounds_of_sums(machine, shape, traffic, true),
                           machine, shape, traffic, search);
  }
  if (shape.ranks().are_shared() && (inside & all) == all && !rule)
    return bounds_of_group(machine, shape, traffic);
  if (inside != 0 && !rule && !shape.ranks().are_shared())
    return bounds_of_group(machine, group_shape(shape, inside), traffic);
  return with_congestion(bounds_by_layers(machine, shape, traffic, rule), machine, shape, traffic,
                         search);
}

/// The bounds from compute(), or those that the traffic has kept.
template <typename Compute>
Bounds kept(const Machine& machine, const Shape& shape, const Traffic& traffic, unsigned question,
            const Compute& compute) {
  KnownBounds* const known = traffic.known_bounds();
  return known == nullptr ? compute() : known->get(machine, shape, question, compute);
}

constexpr unsigned kAnyWays = ~0u;
constexpr unsigned kNoRule = kAnyWays - 1;

}  // namespace

Bounds traffic_bounds_of_any_ways(const Machine& machine, const Shape& shape,
                                  const Traffic& traffic) {
  return kept(machine, shape, traffic, kAnyWays,
              [&] { return bounds_of_sums(machine, shape.without_failures(), traffic, false); });
}

Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule) {
  if (takes_long_ways(shape)) return traffic_bounds_of_any_ways(machine, shape, traffic);
  if (rule != TieRule::parity && rule != TieRule::plus && rule != TieRule::minus) rule.reset();
  return kept(machine, shape, traffic, rule ? static_cast<unsigned>(*rule) : kNoRule,
              [&] { return bounds_of_shortest_ways(machine, shape, traffic, rule, Search::yes); });
}

Bounds quick_traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic) {
  if (takes_long_ways(shape)) return traffic_bounds_of_any_ways(machine, shape, traffic);
  return bounds_of_shortest_ways(machine, shape, traffic, std::nullopt, Search::no);
}

Tick injection_fifo_bound(const Machine& machine, const Shape& shape, const Traffic& traffic,
                          std::span<const DirectionSet> fifos) {
  const auto wire_bytes = [&](std::uint64_t bytes) {
    return static_cast<double>(message_cost(machine, bytes).wire_bytes);
  };
  const bool is_uniform = traffic.is_uniform_all_to_all();
  const Rank ranks = shape.ranks().per_node();
  double most = is_uniform
                    ? ranks * (shape.size() - ranks) * wire_bytes(traffic.message_bytes().value()) /
                          static_cast<double>(fifos.size())
                    : 0;
  for (Rank first = 0; first < (is_uniform ? Rank{1} : shape.size()); first += ranks) {
    std::map<unsigned, double> bytes;
    for (Rank from = first; from < first + ranks; ++from)
      for (const Rank to : traffic.targets(from))
        if (const auto ways = shortest_directions(shape, shape.coord(from), shape.coord(to));
            !ways.empty())
          bytes[fifos_for(fifos, ways)] += wire_bytes(traffic.bytes(from, to));
    most = std::max(most, busiest_fifo_bytes(bytes));
  }
  return cycles(machine, most);
}

}  // namespace toroid
