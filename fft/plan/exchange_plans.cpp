// The exchanges of a blueprint under a policy.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>

#include "fft/layout/redistribution_traffic.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"

namespace toroid::fft {
namespace {

const Policy& policy_of(const NodeOptions& options) {
  return options.policy != nullptr ? *options.policy : policy_by_name("random");
}

Shape shape_of(const Blueprint& blueprint, std::size_t exchange) {
  const StageExchange& between = blueprint.exchanges()[exchange];
  return blueprint.shape().slice(between.first, between.last);
}

PolicySettings settings_for(const Blueprint& blueprint, std::size_t exchange, Way way,
                            const Machine& machine, const NodeOptions& options) {
  const Shape shape = shape_of(blueprint, exchange);
  return settings_of(policy_of(options), options.changes, options.packets_per_visit,
                     {shape, machine, blueprint.traffic(exchange, way, 0)});
}

/// The settings for a plan without exchanges. The policy chooses them for an all-to-all instead.
PolicySettings settings_without_exchange(const Shape& shape, const Machine& machine,
                                         const NodeOptions& options) {
  const auto traffic = make_traffic("all-to-all", shape, 0, options.seed);
  return settings_of(policy_of(options), options.changes, options.packets_per_visit,
                     {shape, machine, *traffic});
}

}  // namespace

RedistributionTraffic Blueprint::traffic(std::size_t exchange, Way way, Rank member) const {
  const Stage& before = stages_[exchange];
  const Stage& after = stages_[exchange + 1];
  const Group group = exchanges_[exchange].group(shape_, member);
  if (way == Way::forward) return {before.out, after.in, bytes(before.real_out), group};
  return {after.in, before.out, bytes(after.real_in), group};
}

const ExchangePlan& Blueprint::exchange_plan(std::size_t exchange, Way way,
                                             const Node& node) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const ExchangePlan>& plan = plans_[{exchange, way}];
  if (plan) return *plan;
  const NodeOptions& options = node.options();
  plan = std::make_unique<const ExchangePlan>(
      policy_of(options), shape_, shape_of(*this, exchange),
      settings_for(*this, exchange, way, node.machine(), options),
      ExchangeFormat{.seed = options.seed,
                     .payload = true,
                     .places = true,
                     .name = fmt::format("exchange {} of {}", exchange + 1, exchanges_.size())});
  return *plan;
}

NodeOptions node_options(const Blueprint& blueprint, const Machine& machine, NodeOptions options) {
  const std::size_t exchanges = blueprint.exchanges().size();
  options.settings =
      exchanges > 0 ? settings_for(blueprint, 0, blueprint.description().first, machine, options)
                    : settings_without_exchange(blueprint.shape(), machine, options);
  for (std::size_t exchange = 0; exchange < exchanges; ++exchange) {
    const PolicySettings wanted =
        settings_for(blueprint, exchange, blueprint.description().first, machine, options);
    options.settings.output_queues = std::max(options.settings.output_queues, wanted.output_queues);
    const ExchangePlan plan(policy_of(options), blueprint.shape(), shape_of(blueprint, exchange),
                            options.settings, {.seed = options.seed});
    options.named_queues = std::max(options.named_queues, plan.named_queues());
  }
  return options;
}

}  // namespace toroid::fft
