// The messages, bounds and work of a replay.
#pragma once

#include <cstdint>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/report/binding_bound.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// Sums over all messages.
struct MessageSums {
  std::uint64_t bytes = 0;
  std::uint64_t packets = 0;
};
MessageSums message_sums(const ScheduleGraph& graph);

/// The bounds of the messages of a schedule without their order, and the length of the longest
/// chain of operations that wait for one another, in cycles.
struct ReplayBounds {
  Bounds traffic;
  Tick critical_path = 0;
};
ReplayBounds replay_bounds(const ScheduleGraph& graph, const Shape& shape, const Machine& machine);

/// The time of a run with its bound. In virtual time the bound is the tightest of replay_bounds();
/// otherwise it is the time in which this host copies all messages into packets and out again.
Timing replay_timing(const ScheduleGraph& graph, const Shape& shape, const Machine& machine,
                     const Emulation& emulation, bool is_virtual, Tick cycles);

RunWork replay_work(const ScheduleGraph& graph, const Shape& shape);

}  // namespace toroid
