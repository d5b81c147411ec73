// How long a schedule takes if every message has the machine to itself.
#pragma once

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/replay/schedule_graph.hpp"

namespace toroid {

/// Converts nanoseconds to cycles of the machine's clock, rounded up.
Tick cycles_of_nanoseconds(const Machine& machine, std::uint64_t nanoseconds);
Tick cycles_of_seconds(const Machine& machine, double seconds);

/// A lower bound on the number of cycles from the start to the end of the last operation. Along
/// every chain of operations it adds up the computations and, per message, lone_message_cycles().
/// Messages do not wait for each other, so no run is shorter. REQUIRES: no more ranks than nodes.
Tick critical_path(const Machine& machine, const Shape& shape, const ScheduleGraph& graph);

}  // namespace toroid
