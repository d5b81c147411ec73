// Lower bounds of any traffic, which no schedule with minimal routing can beat.
#pragma once

#include <optional>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The bounds of a traffic in cycles, each rounded up:
/// - hottest link: by TrafficFlow;
/// - injection and reception: of the busiest node, over the links that its packets can take;
/// - processor: of the busiest node;
/// - zero load: of the message that goes farthest.
/// If groups of nodes do equal all-to-alls, closed formulas give the bounds. Without `rule` they
/// hold however ties are decided, with it for that rule only. TieRule::split, balanced and both do
/// not decide by the coordinate alone and count as no rule. On a twisted torus, whose links form no
/// layers, the mean over all links replaces the hottest link, whatever the rule.
Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule = std::nullopt);

/// The bounds that no routing at all can beat. Along every dimension a message crosses at least as
/// many links as on its shortest way, the mean link is a lower bound of the hottest, and a node may
/// use all of its links.
Bounds traffic_bounds_of_any_ways(const Machine& machine, const Shape& shape,
                                  const Traffic& traffic);

}  // namespace toroid
