// Lower bounds on the time of any traffic, which no schedule with minimal routing can beat.
#pragma once

#include <optional>
#include <span>

#include "hal/bounds.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The bounds of a traffic in cycles, each rounded up:
/// - hottest link: of the link with most bytes. The largest bound counts of those that TrafficFlow,
///   the busiest node and congestion_bound() give;
/// - injection and reception: of the busiest node, over the links that its packets can take;
/// - processor: of the busiest node;
/// - zero load: of the message that takes longest, if each has the machine to itself.
/// With `rule` the bounds hold for that rule only; without it they hold however ties are decided.
/// TieRule::split, balanced, both and alternate do not decide by the coordinate alone and count as
/// no rule. If groups of nodes do equal all-to-alls and there is no rule, closed formulas give the
/// bounds. On a twisted torus links form no layers. There means over the links of sets of
/// dimensions take the place of layers, whatever the rule. If packets may go around failures the
/// long way, the bounds are those of any ways.
Bounds traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic,
                      std::optional<TieRule> rule = std::nullopt);

/// traffic_bounds() without a rule and without congestion_bound(), whose search for a higher bound
/// may take some ten milliseconds.
Bounds quick_traffic_bounds(const Machine& machine, const Shape& shape, const Traffic& traffic);

/// The bounds that no routing can beat, even if it leaves the shortest ways. They assume only this:
/// along every dimension a message crosses at least as many links as on its shortest way, the
/// hottest link carries at least as much as the mean link, and a node may use all of its links.
Bounds traffic_bounds_of_any_ways(const Machine& machine, const Shape& shape,
                                  const Traffic& traffic);

/// The time in cycles that the injection FIFOs of the busiest node need, if messages keep to
/// shortest paths and each FIFO serves the links in `fifos`. A FIFO feeds one link at a time, so
/// this may bind if messages for several links share a FIFO. For an all-to-all it counts the number
/// of FIFOs and what those of node 0 serve.
Tick injection_fifo_bound(const Machine& machine, const Shape& shape, const Traffic& traffic,
                          std::span<const DirectionSet> fifos);

}  // namespace toroid
