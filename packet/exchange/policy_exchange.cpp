#include "packet/exchange/policy_exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/combined_exchange.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_part.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/node_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

PolicyExchange::PolicyExchange(const Policy& policy, const Traffic& traffic, const Shape& shape,
                               const Machine& machine, const PolicyExchangeOptions& options)
    : case_(policy, traffic, shape, machine, options) {
  if (policy.combines()) plan_.emplace(case_);
}

NodeOptions PolicyExchange::node_options() const {
  const PolicySettings& settings = case_.settings();
  return {.seed = case_.options().seed,
          .routing = settings.routing,
          .tie = settings.tie,
          .drain = settings.drain,
          .output_queues =
              settings.queue_per_direction ? case_.shape().links() : settings.output_queues,
          .named_queues = case_.stages() - 1 + (settings.throttle.window > 0 ? 1 : 0),
          .queue_capacity = settings.queue_capacity};
}

void PolicyExchange::attach(Node& node) {
  case_.check_order(node.rank());
  if (plan_)
    parts_.push_back(std::make_unique<CombinedExchange>(node, case_, *plan_));
  else
    parts_.push_back(std::make_unique<NodeExchange>(node, case_));
  node.run(parts_.back()->program());
}

void PolicyExchange::check() const {
  for (const auto& part : parts_) {
    check_data(*part);
    if (case_.is_sample()) continue;
    const auto wrong =
        difference(case_.shape(), part->node().rank(), part->expected(), part->outcome().arrivals);
    if (wrong) throw failed(*wrong);
  }
  if (parts_.size() == case_.shape().size()) check_sums();
}

/// All that was sent against all that has arrived.
void PolicyExchange::check_sums() const {
  std::uint64_t sent = 0, received = 0, hash = 0;
  for (const auto& part : parts_) {
    sent += part->outcome().sent;
    received += part->outcome().arrivals.packets;
    hash += part->outcome().sent_hash - part->outcome().received_hash;
  }
  if (sent != received || hash != 0)
    throw failed(
        fmt::format("{} packets were sent, {} received, not each of them once", sent, received));
}

void PolicyExchange::check_data(const ExchangePart& part) const {
  if (part.data() == nullptr) return;
  if (const auto source = part.data()->damaged())
    throw failed(fmt::format("what {} sent to {} has not arrived as it was",
                             case_.shape().coord_text(*source),
                             case_.shape().coord_text(part.node().rank())));
}

RunFailed PolicyExchange::failed(const std::string& what) const {
  return RunFailed(fmt::format("policy {}, traffic {}: {}", case_.policy().name(),
                               case_.traffic().name(), what));
}

LatencyHistogram PolicyExchange::latency() const {
  LatencyHistogram all;
  for (const auto& part : parts_) all += part->outcome().latency;
  return all;
}

Tick PolicyExchange::last_arrival() const {
  Tick last = 0;
  for (const auto& part : parts_) last = std::max(last, part->outcome().last_arrival);
  return last;
}

std::uint64_t PolicyExchange::forwarded() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->outcome().forwarded;
  return sum;
}

std::uint64_t PolicyExchange::acknowledgements() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->outcome().acknowledgements;
  return sum;
}

}  // namespace toroid
