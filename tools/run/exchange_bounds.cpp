#include "tools/run/exchange_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/traffic_messages.hpp"
#include "packet/node/settings.hpp"
#include "packet/traffic/known_bounds.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tools/run/host_copy_rate.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/run_setup.hpp"

namespace toroid {
namespace {

/// Wraps a traffic so that computing its bounds can be interrupted; with many pairs it takes long.
class InterruptibleTraffic : public Traffic {
 public:
  explicit InterruptibleTraffic(const Traffic& traffic) : traffic_(traffic) {}
  std::string_view name() const override { return traffic_.name(); }
  std::uint64_t bytes(Rank from, Rank to) const override { return traffic_.bytes(from, to); }
  std::optional<std::uint64_t> message_bytes() const override { return traffic_.message_bytes(); }
  bool is_uniform_all_to_all() const override { return traffic_.is_uniform_all_to_all(); }
  unsigned all_to_all_inside() const override { return traffic_.all_to_all_inside(); }
  bool has_equal_sources() const override { return traffic_.has_equal_sources(); }
  std::vector<Rank> targets(Rank from) const override {
    throw_if_interrupted();
    return traffic_.targets(from);
  }
  std::vector<Rank> sources(Rank to) const override { return traffic_.sources(to); }
  Rank draw(Rank from, Random& random) const override { return traffic_.draw(from, random); }
  KnownBounds* known_bounds() const override { return traffic_.known_bounds(); }

 private:
  const Traffic& traffic_;
};

/// Wraps a traffic so that a message of n bytes has resized(n).
class ResizedTraffic final : public InterruptibleTraffic {
 public:
  ResizedTraffic(const Traffic& traffic, KnownBounds::Resized resized)
      : InterruptibleTraffic(traffic), resized_(resized) {}
  std::uint64_t bytes(Rank from, Rank to) const override {
    return resized_(InterruptibleTraffic::bytes(from, to));
  }
  std::optional<std::uint64_t> message_bytes() const override {
    const auto bytes = InterruptibleTraffic::message_bytes();
    return bytes ? std::optional(resized_(*bytes)) : std::nullopt;
  }
  KnownBounds* known_bounds() const override {
    KnownBounds* const known = InterruptibleTraffic::known_bounds();
    return known == nullptr ? nullptr : &known->of_resized(resized_);
  }

 private:
  KnownBounds::Resized resized_;
};

/// A packet for each byte of a message. The bounds are divided by kPayloadBytes afterwards, because
/// combined messages share packets.
std::uint64_t packet_per_byte(std::uint64_t bytes) {
  return bytes * kPayloadBytes;
}

/// Only the first byte of a message: it travels in a packet, however messages are combined.
std::uint64_t first_byte(std::uint64_t bytes) {
  return std::min<std::uint64_t>(1, bytes);
}

/// Whether the traffic is an all-to-all among all nodes, or among all that have not failed.
bool is_among_all(const Traffic& traffic, const Shape& shape) {
  return traffic.is_uniform_all_to_all() ||
         (shape.failures() != nullptr && traffic.name() == "all-to-all");
}

/// A function that computes the bounds of a traffic on a machine, for shortest paths or for any
/// paths.
using BoundsOf = Bounds (*)(const Machine& machine, const Shape& shape, const Traffic& traffic);

Bounds of_shortest_ways(const Machine& machine, const Shape& shape, const Traffic& traffic) {
  return traffic_bounds(machine, shape, traffic);
}

/// The closed formulas for an all-to-all hold for any paths, because the paths do not change how
/// much traffic crosses from one half of a torus to the other. Those for twisted tori do not.
Bounds whole_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                    BoundsOf bounds_of) {
  if (!is_among_all(traffic, shape) || shape.is_twisted())
    return bounds_of(machine, shape, traffic);
  const std::uint64_t bytes = traffic.message_bytes().value();
  return all_to_all_bounds(machine, shape, message_cost(machine, bytes));
}

Bounds combined_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                       BoundsOf bounds_of) {
  Bounds bounds = whole_bounds(machine, shape, ResizedTraffic(traffic, packet_per_byte), bounds_of);
  for (Tick* cycles : {&bounds.hottest_link, &bounds.injection, &bounds.processor})
    *cycles = (*cycles + kPayloadBytes - 1) / kPayloadBytes;
  bounds.zero_load =
      whole_bounds(machine, shape, ResizedTraffic(traffic, first_byte), bounds_of).zero_load;
  return bounds;
}

/// Bytes in `packets` packets of a message, starting with packet `first`.
std::uint64_t bytes_of_packets(const ExchangePlan& plan, std::uint64_t message, std::uint64_t first,
                               std::uint64_t packets) {
  const std::uint64_t begin = std::min(message, first * plan.data_bytes());
  return std::min(message, (first + packets) * plan.data_bytes()) - begin;
}

/// Adds the messages that a node sends. If the order changes from round to round, adds them round
/// by round; otherwise adds all rounds at once.
void add_visits(const TrafficExchange& exchange, Rank from, std::vector<TrafficEntry>& entries) {
  const ExchangePlan& plan = exchange.plan();
  const std::uint64_t step =
      plan.changes_order() ? plan.settings().packets_per_visit : ~std::uint32_t{0};
  const std::uint64_t longest = most_packets(plan, exchange.traffic(), from);
  std::uint32_t round = 0;
  for (std::uint64_t first = 0; first < longest; first += step, ++round)
    for (const Rank to : plan.order(plan.visitor(from, from, round)).first(plan.format().peers)) {
      const std::uint64_t message = to == from ? 0 : exchange.traffic().bytes(from, to);
      entries.push_back({from, to, bytes_of_packets(plan, message, first, step)});
    }
}

MatrixTraffic sampled_traffic(const TrafficExchange& exchange) {
  const Rank nodes = exchange.plan().shape().size();
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < nodes; ++from) {
    throw_if_interrupted();
    add_visits(exchange, from, entries);
  }
  return {"sample", nodes, std::move(entries)};
}

double payload_sum(const Traffic& traffic, Rank nodes) {
  if (traffic.is_uniform_all_to_all())
    return static_cast<double>(traffic.message_bytes().value()) * nodes * (nodes - 1.0);
  double sum = 0;
  for (Rank from = 0; from < nodes; ++from)
    for (const Rank to : traffic.targets(from)) sum += static_cast<double>(traffic.bytes(from, to));
  return sum;
}

Bounds bounds_by(BoundsOf bounds_of, const TrafficExchange& exchange, const Machine& machine) {
  const Shape& shape = exchange.plan().shape();
  if (exchange.plan().is_sample())
    return bounds_of(machine, shape, InterruptibleTraffic(sampled_traffic(exchange)));
  if (exchange.plan().policy().combines())
    return combined_bounds(machine, shape, exchange.traffic(), bounds_of);
  return whole_bounds(machine, shape, InterruptibleTraffic(exchange.traffic()), bounds_of);
}

/// The number of messages of the node that sends the most messages in the first round.
std::uint64_t most_messages(const TrafficExchange& exchange) {
  const ExchangePlan& plan = exchange.plan();
  const Rank nodes = plan.shape().size();
  if (exchange.traffic().is_uniform_all_to_all()) return std::min(plan.format().peers, nodes - 1);
  Rank most = 0;
  for (Rank from = 0; from < nodes; ++from) {
    const std::vector<Rank> targets = exchange.traffic().targets(from);
    const Rank visits =
        plan.is_sample()
            ? plan.order(plan.visitor(from, from)).first(plan.format().peers).only(targets).size()
            : static_cast<Rank>(targets.size());
    most = std::max(most, visits);
  }
  return most;
}

/// [FIFO]: the links of the injection FIFOs that the exchange uses.
std::vector<DirectionSet> links_of_used_fifos(const ExchangePlan& plan, const Machine& machine) {
  const PolicySettings& settings = plan.settings();
  if (settings.routing == RoutingRule::priority)
    return links_of_fifos(plan.shape(), machine.priority_injection_fifos, FifoTying::any);
  return links_of_fifos(plan.shape(), machine.injection_fifos, settings.tying);
}

/// Whether messages for several links may have to share one of the FIFOs, because there are more
/// links than FIFOs or a table ties them, and packets keep to the directions that their messages'
/// shortest paths have.
bool shares_fifos(const ExchangePlan& plan, std::size_t fifos) {
  return (fifos < usable_links(plan.shape()) || plan.settings().tying.is_table()) &&
         !plan.is_sample() && !plan.policy().combines() && plan.shape().failures() == nullptr;
}

ExchangeLimits limits_by(const TrafficExchange& exchange, const Machine& machine) {
  const ExchangePlan& plan = exchange.plan();
  Bounds shortest = bounds_by(of_shortest_ways, exchange, machine);
  const Tick hottest_link = shortest.hottest_link;
  if (plan.policy().keeps_to_shortest_ways(plan.shape())) {
    const std::vector<DirectionSet> fifos = links_of_used_fifos(plan, machine);
    if (shares_fifos(plan, fifos.size()))
      shortest.injection =
          std::max(shortest.injection,
                   injection_fifo_bound(machine, plan.shape(),
                                        InterruptibleTraffic(exchange.traffic()), fifos));
    return {shortest, hottest_link};
  }
  return {bounds_by(traffic_bounds_of_any_ways, exchange, machine), hottest_link};
}

}  // namespace

ExchangeLimits exchange_limits(const TrafficExchange& exchange, const Machine& machine,
                               bool by_engines) {
  if (!by_engines || exchange.node_options().transfer == TransferMode::packets)
    return limits_by(exchange, machine);
  ExchangeLimits limits = limits_by(exchange, moved_by_engines(machine));
  if (limits.bounds.max() > 0)
    limits.bounds = bounds_by_engines(limits.bounds, machine, most_messages(exchange));
  return limits;
}

void check_paths(const TrafficExchange& exchange) {
  const ExchangePlan& plan = exchange.plan();
  if (plan.shape().failures() == nullptr || plan.relays() || plan.combines()) return;
  const auto check = [&plan](const Traffic& traffic) {
    check_paths(plan.shape(), plan.settings().routing, [&traffic](Rank from) {
      std::vector<Rank> peers = traffic.targets(from);
      std::erase_if(peers, [&](Rank to) { return traffic.bytes(from, to) == 0; });
      return peers;
    });
  };
  plan.is_sample() ? check(sampled_traffic(exchange))
                   : check(InterruptibleTraffic(exchange.traffic()));
}

Timing exchange_timing(const TrafficExchange& exchange, const ExchangeLimits& limits,
                       const Machine& machine, const Emulation& emulation, Tick cycles) {
  if (!exchange.plan().format().payload)
    return virtual_timing(cycles, binding(limits.bounds), limits.hottest_link, machine);
  const double bytes = payload_sum(exchange.traffic(), exchange.plan().shape().size());
  return wall_clock_timing(static_cast<double>(cycles) / machine.clock_hz,
                           exchange_copy_seconds(bytes, emulation.workers(), emulation.transfer()));
}

}  // namespace toroid
