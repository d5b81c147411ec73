#include "packet/traffic/traffic_load.hpp"

#include <algorithm>
#include <cstddef>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// The shares of a message between two coordinates that go by + and by -.
struct Split {
  double plus;
  double minus;
};

Split split(const Shape& shape, unsigned d, unsigned from, unsigned to, std::optional<TieRule> rule,
            double tied_share) {
  const unsigned k = shape.extent(d);
  if (!shape.wraps(d)) return to > from ? Split{1, 0} : Split{0, 1};
  const unsigned twice = 2 * ((to + k - from) % k);
  if (twice != k) return twice < k ? Split{1, 0} : Split{0, 1};
  if (!rule) return {tied_share, tied_share};
  const bool minus = *rule == TieRule::minus || (*rule == TieRule::parity && (from & 1u) != 0);
  return minus ? Split{0, 1} : Split{1, 0};
}

}  // namespace

DirectionSet links_of(const Shape& shape, Rank node) {
  DirectionSet set;
  for (std::uint8_t l = 0; l < shape.links(); ++l)
    if (shape.neighbour(node, {l})) set.add(Direction{l});
  return set;
}

double LayerLoads::most() const {
  double most = 0;
  for (const auto* loads : {&plus, &minus})
    for (const double load : *loads) most = std::max(most, load);
  return most;
}

TrafficFlow::TrafficFlow(const Machine& machine, const Shape& shape, const Traffic& traffic)
    : shape_(shape), sources_(shape.size()), destinations_(shape.size()) {
  for (unsigned d = 0; d < shape.torus_dims(); ++d)
    between_[d].resize(std::size_t{shape.extent(d)} * shape.extent(d));
  if (traffic.has_equal_sources() && !shape.ranks().are_shared())
    take_columns(machine, traffic);
  else
    take_pairs(machine, traffic);
}

namespace {

/// The largest lone_message_cycles() of many messages. Equal messages over as many hops and links
/// take equally long, so most need not be computed.
class SlowestMessage {
 public:
  explicit SlowestMessage(const Machine& machine) : machine_(machine) {}
  void add(const MessageCost& cost, unsigned hops, unsigned links) {
    if (cost.packets != cost_.packets || cost.wire_bytes != cost_.wire_bytes) {
      cost_ = cost;
      farthest_.fill(0);
    }
    if (hops <= farthest_[links]) return;  // more hops take longer
    farthest_[links] = hops;
    cycles_ = std::max(cycles_, lone_message_cycles(machine_, cost, hops, links));
  }
  Tick cycles() const { return cycles_; }

 private:
  const Machine& machine_;
  MessageCost cost_{};
  std::array<unsigned, kMaxLinks + 1> farthest_{};  ///< [links] hops of messages of this cost
  Tick cycles_ = 0;
};

}  // namespace

void TrafficFlow::take_pairs(const Machine& machine, const Traffic& traffic) {
  const std::optional<std::uint64_t> bytes = traffic.message_bytes();
  MessageCost cost = message_cost(machine, bytes.value_or(0));
  SlowestMessage slowest(machine);
  for (Rank from = 0; from < shape_.size(); ++from) {
    const Coord a = shape_.coord(from);
    for (const Rank to : traffic.targets(from)) {
      if (!bytes) cost = message_cost(machine, traffic.bytes(from, to));
      const Coord b = shape_.coord(to);
      if (stays_in_node(shape_, a, b)) {
        sources_[from].copies += cost.packets;
        destinations_[to].copies += cost.packets;
        zero_load_ = std::max(zero_load_, memory_message_cycles(machine, cost));
        continue;
      }
      const DirectionSet links = shortest_directions(shape_, a, b);
      for (unsigned d = 0; d < shape_.torus_dims(); ++d)
        between(d, a[d], b[d]) += static_cast<double>(cost.wire_bytes);
      sources_[from].add(cost, links);
      destinations_[to].add(cost, links);
      slowest.add(cost, minimal_hops(shape_, a, b), links.size());
    }
  }
  zero_load_ = std::max(zero_load_, slowest.cycles());
}

/// Here a node receives the same number of bytes from every other node, and over all of its links.
/// `between` also counts a message from each node to itself, which crosses no link.
void TrafficFlow::take_columns(const Machine& machine, const Traffic& traffic) {
  if (shape_.size() == 1) return;
  EndLoad all;
  for (Rank to = 0; to < shape_.size(); ++to) {
    const MessageCost cost = message_cost(machine, traffic.bytes(to == 0 ? 1 : 0, to));
    if (cost.packets == 0) continue;
    add_column(machine, to, cost);
    all.add(cost, {});
  }
  const std::uint64_t peers = shape_.size() - 1;
  for (Rank r = 0; r < shape_.size(); ++r) {
    const EndLoad& own = destinations_[r];
    sources_[r] = {all.packets - own.packets / peers,
                   all.wire_bytes - own.wire_bytes / static_cast<double>(peers),
                   links_of(shape_, r)};
  }
}

void TrafficFlow::add_column(const Machine& machine, Rank to, const MessageCost& cost) {
  const Coord at = shape_.coord(to);
  const auto wire = static_cast<double>(cost.wire_bytes);
  std::vector<std::vector<Leg>> legs;
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    const unsigned k = shape_.extent(d);
    for (unsigned from = 0; from < k; ++from) between(d, from, at[d]) += wire * (shape_.size() / k);
    legs.push_back(longest_legs(shape_, d, at[d]));
  }
  const std::uint64_t peers = shape_.size() - 1;
  destinations_[to] = {cost.packets * peers, wire * static_cast<double>(peers),
                       links_of(shape_, to)};
  zero_load_ = std::max(zero_load_, slowest_message_cycles(machine, cost, legs));
}

LayerLoads TrafficFlow::layers(unsigned dim, std::optional<TieRule> rule) const {
  if (rule)
    TOROID_CHECK(*rule == TieRule::parity || *rule == TieRule::plus || *rule == TieRule::minus);
  return layers(dim, rule, 0.5);
}

LayerLoads TrafficFlow::layers(unsigned dim, std::optional<TieRule> rule, double tied_share) const {
  const unsigned k = shape_.extent(dim);
  LayerLoads loads{std::vector<double>(k), std::vector<double>(k)};
  const double links = shape_.nodes() / k;
  for (unsigned from = 0; from < k; ++from)
    for (unsigned to = 0; to < k; ++to) {
      if (from == to) continue;
      const double each = between_[dim][from * k + to] / links;
      const Split ways = split(shape_, dim, from, to, rule, tied_share);
      for (unsigned x = from; ways.plus > 0 && x != to; x = (x + 1) % k)
        loads.plus[x] += ways.plus * each;
      for (unsigned x = from; ways.minus > 0 && x != to; x = (x + k - 1) % k)
        loads.minus[(x + k - 1) % k] += ways.minus * each;
    }
  return loads;
}

/// Without a rule the bound holds however ties are split. First, a layer carries at least its load
/// of messages that are not tied. Second, a tied message crosses either layer x by + or the layer
/// on the other side of the ring by -. So the sum of the loads of these two is the same in every
/// case, and one of them carries at least half of it.
double TrafficFlow::hottest_layer(unsigned dim, std::optional<TieRule> rule) const {
  const unsigned k = shape_.extent(dim);
  if (rule || k % 2 != 0 || !shape_.wraps(dim)) return layers(dim, rule).most();
  const LayerLoads halved = layers(dim);
  double most = layers(dim, std::nullopt, 0).most();
  for (unsigned x = 0; x < k; ++x)
    most = std::max(most, (halved.plus[x] + halved.minus[(x + k / 2) % k]) / 2);
  return most;
}

double TrafficFlow::hottest_link(std::optional<TieRule> rule) const {
  double most = 0;
  for (unsigned d = 0; d < shape_.torus_dims(); ++d) most = std::max(most, hottest_layer(d, rule));
  return most;
}

}  // namespace toroid
