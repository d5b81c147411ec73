// What a replay sends, what no run of it beats, and what it will take.
#pragma once

#include <cstdint>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/report/bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// All messages together.
struct MessageSums {
  std::uint64_t bytes = 0;
  std::uint64_t packets = 0;
};
MessageSums message_sums(const ScheduleGraph& graph);

/// The bounds of the file's traffic matrix, and its longest chain of operations, in cycles.
struct ReplayBounds {
  Bounds traffic;
  Tick critical_path = 0;
};
ReplayBounds replay_bounds(const ScheduleGraph& graph, const Shape& shape, const Machine& machine);

/// The time of a run beside its bound: in virtual time one of these bounds, else what copying all
/// messages into packets and out again takes on this host.
Timing replay_timing(const ScheduleGraph& graph, const Shape& shape, const Machine& machine,
                     const Emulation& emulation, bool is_virtual, Tick cycles);

RunWork replay_work(const ScheduleGraph& graph, const Shape& shape);

}  // namespace toroid
