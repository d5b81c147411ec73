// Lower bounds of any traffic: what no schedule with minimal routing can beat.
#pragma once

#include <optional>

#include "hal/bounds.hpp"
#include "hal/route.hpp"
#include "packet/traffic.hpp"

namespace toroid {

/// In cycles, each rounded up: the hottest link by TrafficFlow; injection and reception of the
/// busiest node over the links that its packets can take; the processor of the busiest node; zero
/// load of the message that goes farthest. Where groups of nodes do equal all-to-alls, the closed
/// formulas. With `rule`: not for any decision of ties, but for this one; TieRule::split and
/// balanced decide by more than the coordinate and count as any. On a twisted torus, whose links
/// form no layers: the mean over all links instead of the hottest, whatever the rule.
Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule = std::nullopt);

}  // namespace toroid
