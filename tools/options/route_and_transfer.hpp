// Decides how packets and messages travel: `--route` and `--transfer`.
#pragma once

#include <array>
#include <string_view>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/policy_options.hpp"

namespace toroid {

/// The names of RingRoute and "auto".
inline constexpr std::array<std::string_view, 3> kRouteNames = {"torus", "direct", "auto"};

/// Whether the policy's drain, tying, routing or tie differs from that of `random`. If the policy
/// does not support this torus, this function and throttles() return true; the run will report the
/// reason.
bool concerns_links(const Policy& policy, const Shape& shape, const Machine& machine);
/// Whether anything in a run affects links: the policy, an option, failures, link errors or rules
/// of the routers. Throws BadInput if a name is unknown or the torus is invalid.
bool concerns_links(const TorusOptions& options, const Machine& machine);

/// Whether nodes wait some cycles between two packets under the policy. The number of cycles may
/// depend on the machine's links.
bool throttles(const Policy& policy, const Shape& shape, const Machine& machine);

/// The routing rule of the policy after the user's changes. The failures of the run do not change
/// it.
RoutingRule routing_of(const PolicyOptions& options);

/// The route of a run. `auto` means hop by hop if `concerns_links` is set; otherwise it means the
/// direct route, which is faster.
RingRoute route_of(const CommonOptions& common, bool concerns_links);

/// How messages move. `auto` becomes packets if fabric, route and machine do not allow puts. Throws
/// BadInput if the user typed `put` but puts are not allowed.
TransferMode transfer_of(const CommonOptions& common, const Machine& machine, RingRoute route);

}  // namespace toroid
