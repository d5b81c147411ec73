// Lower bounds of any traffic: what no schedule with minimal routing can beat.
#pragma once

#include <optional>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The bounds of a traffic in cycles, each rounded up: the hottest link by TrafficFlow; injection
/// and reception of the busiest node over the links that its packets can take; the processor of the
/// busiest node; zero load of the message that goes farthest. Where groups of nodes do equal
/// all-to-alls, the closed formulas. Without `rule` the bounds hold however ties are decided, with
/// it for that rule only; TieRule::split, balanced and both decide by more than the coordinate and
/// count as none given. On a twisted torus, whose links form no layers: the mean over all links
/// instead of the hottest, whatever the rule.
Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule = std::nullopt);

/// The bounds that no routing at all can beat: along every dimension a message crosses as many
/// links at least as its shortest way does, and the mean link bounds the hottest; a node may use
/// all of its links.
Bounds traffic_bounds_of_any_ways(const Machine& machine, const Shape& shape,
                                  const Traffic& traffic);

}  // namespace toroid
