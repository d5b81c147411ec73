#include "packet/exchange/exchange_case.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {
namespace {

constexpr std::uint32_t kPacketsPerVisit = 32;  ///< where the host's own work counts

PolicySettings settings_of(const Policy& policy, const PolicyExchangeOptions& options,
                           const PolicyCase& policy_case) {
  PolicySettings settings = options.settings ? *options.settings : policy.settings(policy_case);
  if (settings.packets_per_visit == 0)
    settings.packets_per_visit = options.payload ? kPacketsPerVisit : 1;
  return settings;
}

}  // namespace

ExchangeCase::ExchangeCase(const Policy& policy, const Traffic& traffic, const Shape& shape,
                           const Machine& machine, const PolicyExchangeOptions& options)
    : policy_(&policy),
      traffic_(&traffic),
      shape_(shape),
      options_(options),
      settings_(settings_of(policy, options, {shape, machine, traffic})),
      stages_(policy.stages(shape)),
      number_bits_(32 - static_cast<unsigned>(std::bit_width(shape.size() - 1))),
      counter_name_(fmt::format("packets of policy {}", policy.name())) {
  check_settings();
  check_machine();
  if (policy.combines())
    check_combines();
  else
    check_lengths();
}

BadInput ExchangeCase::unfit(const std::string& why) const {
  return BadInput(fmt::format("policy {}: {}", policy_->name(), why));
}

void ExchangeCase::check_settings() const {
  if (stages_ == 0 || stages_ > 255)
    throw unfit(fmt::format("stages() is {}, expected 1 to 255", stages_));
  if (settings_.queue_per_direction && settings_.output_queues != 1)
    throw unfit(fmt::format("it has a queue per direction, so that it cannot have {} output queues",
                            settings_.output_queues));
  if (settings_.output_queues == 0) throw unfit("output_queues is 0, expected at least 1");
  if (settings_.queue_capacity == 0) throw unfit("queue_capacity is 0, expected at least 1");
  const double between = settings_.throttle.cycles_per_packet;
  if (!(between >= 0) || !std::isfinite(between))
    throw unfit(fmt::format("cycles_per_packet is {}, expected a number from 0 on", between));
}

void ExchangeCase::check_combines() const {
  if (is_sample())
    throw BadInput(
        fmt::format("policy {} combines messages: everybody sends to everybody", policy_->name()));
  if (settings_.throttle.window > 0 || settings_.throttle.cycles_per_packet > 0)
    throw BadInput(
        fmt::format("policy {} combines messages: it cannot be throttled", policy_->name()));
}

/// Nobody is asked where relays lead: a dead one might be among them.
void ExchangeCase::check_machine() const {
  const Failures* failures = shape_.failures();
  if (failures == nullptr || failures->living() == shape_.size()) return;
  if (stages_ > 1 || policy_->combines())
    throw unfit("it sends by way of other nodes, and some of this machine are dead");
}

void ExchangeCase::check_lengths() const {
  const std::uint64_t numbers = std::uint64_t{1} << number_bits_;
  const Rank sources = traffic_->is_uniform_all_to_all() ? 1 : shape_.size();
  for (Rank from = 0; from < sources; ++from)
    if (const std::uint64_t packets = most_packets(from); packets > numbers)
      throw BadInput(fmt::format(
          "messages of {} packets between {} nodes: too long to number them, {} are the most",
          packets, shape_.size(), numbers));
}

std::uint64_t ExchangeCase::most_packets(Rank from) const {
  if (shape_.size() == 1) return 0;
  if (traffic_->is_uniform_all_to_all()) return packets(traffic_->bytes(0, 1));
  std::uint64_t most = 0;
  for (const Rank to : traffic_->targets(from)) most = std::max(most, traffic_->bytes(from, to));
  return packets(most);
}

SendOrder ExchangeCase::order(Rank self, std::uint32_t round) const {
  if (options_.order) return {*options_.order, self, shape_.size(), mix64(options_.seed) ^ self};
  return policy_->order(shape_, self, options_.seed, round);
}

void ExchangeCase::refuse_order(Rank self, const std::string& why) const {
  throw RunFailed(
      fmt::format("policy {}: order() of {} {}", policy_->name(), shape_.coord_text(self), why));
}

void ExchangeCase::check_order(Rank self) const {
  const SendOrder order = this->order(self, 0);
  if (!order.is_list() && shape_.size() > SendOrder::kStoredPeers) return;
  std::vector<bool> visited(shape_.size(), false);
  for (const Rank to : order) {
    check_visit(self, to);
    if (visited[to]) refuse_order(self, fmt::format("visits {} twice", shape_.coord_text(to)));
    visited[to] = true;
  }
  for (const Rank to : traffic_->targets(self))
    if (!visited[to]) refuse_order(self, fmt::format("leaves out {}", shape_.coord_text(to)));
}

void ExchangeCase::check_visit(Rank self, Rank to) const {
  if (to != self && to < shape_.size()) return;
  refuse_order(self, to == self ? "visits itself" : "visits a node that does not exist");
}

Rank ExchangeCase::relay(const Waypoint& packet) const {
  if (packet.stage + 1 == stages_) return packet.to;
  const Rank next = policy_->relay(shape_, packet);
  if (next >= shape_.size())
    throw RunFailed(fmt::format("policy {}: relay() leads from {} to a node that does not exist",
                                policy_->name(), shape_.coord_text(packet.here)));
  return next;
}

Arrivals ExchangeCase::expected(Rank to) const {
  if (traffic_->has_equal_sources()) return expected_of_equals(to);
  Arrivals sum;
  for (const Rank from : traffic_->sources(to))
    sum.add(from, 0, packets(traffic_->bytes(from, to)));
  return sum;
}

/// Closed sums over all other nodes, who send equally much.
Arrivals ExchangeCase::expected_of_equals(Rank to) const {
  const std::uint64_t n = shape_.size();
  if (n == 1) return {};
  const std::uint64_t k = packets(traffic_->bytes(to == 0 ? 1 : 0, to));
  if (k == 0) return {};
  const std::uint64_t own = std::uint64_t{to} + 1;
  return {.packets = (n - 1) * k,
          .origins = (n * (n + 1) / 2 - own) * k,
          .squares = (n * (n + 1) * (2 * n + 1) / 6 - own * own) * k,
          .numbers = (n - 1) * (k * (k - 1) / 2)};
}

}  // namespace toroid
