// How packets and messages go on rings: what `--route` and `--transfer` mean.
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

/// The names of RingRoute, and "auto".
inline constexpr std::array<std::string_view, 3> kRouteNames = {"torus", "direct", "auto"};

/// Whether the policy says what happens at links: drain, tying, routing or tie. A policy that is
/// not for this torus does, and throttles: its run will say what is wrong.
bool concerns_links(const Policy& policy, const Shape& shape, const Machine& machine);
/// Whether anything does that a run is told of its torus: the policy, options, failures, the rules
/// of routers. Throws BadInput where a name is unknown, or the torus is none.
bool concerns_links(const TorusOptions& options, const Machine& machine);

/// Whether the policy has cycles between packets, which may follow from the machine's links.
bool throttles(const Policy& policy, const Shape& shape, const Machine& machine);

/// Of the policy with its changes. It may depend on the machine, but does not on its failures.
RoutingRule routing_of(const PolicyOptions& options);

/// Of `auto`: hop by hop where the run concerns links, else straight, which is faster.
RingRoute route_of(const CommonOptions& common, bool concerns_links);

/// How messages move, as asked for: `auto` and `put` only where fabric, route and machine can put.
/// Throws BadInput where `put` is asked for and they cannot.
TransferMode transfer_of(const CommonOptions& common, const Machine& machine, RingRoute route);

}  // namespace toroid
