#include "packet/exchange_case.hpp"

#include <fmt/format.h>

#include <bit>

namespace toroid {
namespace {

constexpr std::uint32_t kPacketsPerVisit = 32;  ///< where the host's own work counts

PolicyKnobs knobs_of(const Policy& policy, const PolicyExchangeOptions& options,
                     const PolicyCase& policy_case) {
  PolicyKnobs knobs = options.knobs ? *options.knobs : policy.knobs(policy_case);
  if (knobs.packets_per_visit == 0)
    knobs.packets_per_visit = options.payload ? kPacketsPerVisit : 1;
  return knobs;
}

}  // namespace

ExchangeCase::ExchangeCase(const Policy& policy, const Traffic& traffic, const Shape& shape,
                           const Machine& machine, const PolicyExchangeOptions& options)
    : policy_(&policy),
      traffic_(&traffic),
      shape_(shape),
      options_(options),
      knobs_(knobs_of(policy, options, {shape, machine, traffic})),
      stages_(policy.stages(shape)),
      number_bits_(32 - static_cast<unsigned>(std::bit_width(shape.size() - 1))),
      counter_name_(fmt::format("packets of policy {}", policy.name())) {
  CHECK(stages_ > 0 && stages_ < 256);
  if (!policy.combines()) return;
  if (is_sample())
    throw BadInput(
        fmt::format("policy {} combines messages: everybody sends to everybody", policy.name()));
  if (knobs_.throttle.window > 0 || knobs_.throttle.cycles_per_packet > 0)
    throw BadInput(
        fmt::format("policy {} combines messages: it cannot be throttled", policy.name()));
}

SendOrder ExchangeCase::order(Rank self, std::uint32_t round) const {
  if (options_.order) return {*options_.order, self, shape_.size(), mix64(options_.seed) ^ self};
  return policy_->order(shape_, self, options_.seed, round);
}

void ExchangeCase::check_visit(Rank self, Rank to) const {
  if (to != self && to < shape_.size()) return;
  throw RunFailed(fmt::format("policy {}: order() of {} visits {}", policy_->name(),
                              shape_.coord_text(self),
                              to == self ? "itself" : "a node that does not exist"));
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
