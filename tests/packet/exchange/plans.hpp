// Plans of exchanges for tests.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"

namespace toroid::testing {

using PlanPointer = std::unique_ptr<const ExchangePlan>;

/// The plan of an exchange of the machine, or of a slice of it, under the policy (`random` if it is
/// null) and the settings that its nodes are built with.
inline PlanPointer plan_for(const NodeOptions& options, const Shape& machine, const Shape& slice,
                            ExchangeFormat format = {}) {
  const Policy& policy = options.policy != nullptr ? *options.policy : policy_by_name("random");
  PolicySettings settings = options.settings;
  if (settings.packets_per_visit == 0) settings.packets_per_visit = options.packets_per_visit;
  format.seed = options.seed;
  return std::make_unique<const ExchangePlan>(policy, machine, slice, settings, std::move(format));
}
/// The plan of an exchange among all nodes, for messages of this kind.
inline PlanPointer plan_for(const Node& node, const Messages& messages) {
  return plan_for(node.options(), node.shape(), node.shape(),
                  {.payload = messages.has_payload(), .places = messages.has_places()});
}

/// The dimensions of a group: nodes whose coordinates differ only in the dimensions [first, last)
/// exchange with one another.
struct GroupSlice {
  unsigned first = 0;
  unsigned last = kMaxDims;  ///< reduced to the machine's number of dimensions
};

/// The machine, the options of its nodes and the plan of its slices' exchanges under a policy.
struct PolicySetup {
  using Alter = std::function<void(PolicySettings&)>;

  /// `alter` changes the policy's settings for an all-to-all of 400 bytes per pair.
  PolicySetup(const Policy& policy, const char* torus, GroupSlice part = {},
              const ExchangeFormat& format = {.places = true}, const Alter& alter = {})
      : machine(Shape::parse(torus)), slice(part) {
    slice.last = std::min(slice.last, machine.dims());
    const Shape shape = machine.slice(slice.first, slice.last);
    const auto traffic = make_traffic("all-to-all", shape, 400, 1);
    PolicySettings settings = settings_of(policy, {}, 1, {shape, Machine{}, *traffic});
    if (alter) alter(settings);
    plan = std::make_unique<const ExchangePlan>(policy, machine, shape, settings, format);
    nodes = {.seed = format.seed,
             .settings = settings,
             .policy = &policy,
             .named_queues = plan->named_queues()};
  }
  Group group(Rank self) const { return {machine, slice.first, slice.last, self}; }

  Shape machine;
  GroupSlice slice;
  PlanPointer plan;
  NodeOptions nodes;
};

}  // namespace toroid::testing
