// How long a schedule takes where every message has the machine to itself.
#pragma once

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/replay/schedule_graph.hpp"

namespace toroid {

/// The same times in cycles of the machine's clock, rounded up.
Tick cycles_of_nanoseconds(const Machine& machine, std::uint64_t nanoseconds);
Tick cycles_of_seconds(const Machine& machine, double seconds);

/// The cycles from the start to the last end: along every chain of operations their computations
/// and, per message, its packets' injection, the hops and the wire of the last packet and its
/// reception; nothing waits for a link or for a processor. No run is shorter. REQUIRES: no more
/// ranks than nodes.
Tick critical_path(const Machine& machine, const Shape& shape, const ScheduleGraph& graph);

}  // namespace toroid
