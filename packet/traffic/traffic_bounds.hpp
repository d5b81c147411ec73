// Lower bounds on the time of any traffic, which no schedule with minimal routing can beat.
#pragma once

#include <optional>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The bounds of a traffic in cycles, each rounded up:
/// - hottest link: of the link with most bytes, which TrafficFlow finds;
/// - injection and reception: of the busiest node, over the links that its packets can take;
/// - processor: of the busiest node;
/// - zero load: of the message that goes farthest.
/// With `rule` the bounds hold for that rule only; without it they hold however ties are decided.
/// TieRule::split, balanced and both do not decide by the coordinate alone and count as no rule. If
/// groups of nodes do equal all-to-alls and there is no rule, closed formulas give the bounds. On a
/// twisted torus links form no layers. There a mean over links takes the place of the hottest link,
/// whatever the rule.
Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule = std::nullopt);

/// The bounds that no routing can beat, even if it leaves the shortest ways. They assume only this:
/// along every dimension a message crosses at least as many links as on its shortest way, the
/// hottest link carries at least as much as the mean link, and a node may use all of its links.
Bounds traffic_bounds_of_any_ways(const Machine& machine, const Shape& shape,
                                  const Traffic& traffic);

}  // namespace toroid
