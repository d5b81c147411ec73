#include "packet/replay/critical_path.hpp"

#include <algorithm>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {
namespace {

/// A lower bound on a message's time. A message to oneself stays in memory and takes no time.
Tick least_latency(const Machine& machine, const Shape& shape, const ScheduleMessage& message) {
  if (message.from == message.to) return 0;
  return lone_message_cycles(machine, sent_message_cost(machine, message.bytes), shape,
                             shape.coord(message.from), shape.coord(message.to));
}

}  // namespace

Tick cycles_of_nanoseconds(const Machine& machine, std::uint64_t nanoseconds) {
  return whole_cycles(static_cast<double>(nanoseconds) * machine.clock_hz / 1e9,
                      "a computation of the schedule (clock_hz)");
}

Tick cycles_of_seconds(const Machine& machine, double seconds) {
  return whole_cycles(seconds * machine.clock_hz, "a time of the schedule (clock_hz)");
}

Tick critical_path(const Machine& machine, const Shape& shape, const ScheduleGraph& graph) {
  TOROID_CHECK_LE(graph.ranks(), shape.size());
  std::vector<Tick> begins(graph.last(graph.ranks() - 1));
  std::vector<Tick> ends(begins.size());  // no operation ends before this
  const auto raise = [](Tick& tick, Tick when) { tick = std::max(tick, when); };
  Tick end = 0;
  for (const OperationId id : graph.order()) {
    const Operation& operation = graph.operation(id);
    Tick done = std::max(begins[id], ends[id]);
    if (operation.kind == Operation::Kind::send)
      raise(done, cycles_of_seconds(machine, operation.not_before));
    if (operation.kind == Operation::Kind::compute)
      done += cycles_of_nanoseconds(machine, operation.amount);
    for (const auto& [dependent, on_start] : graph.dependents(id))
      raise(begins[dependent], on_start ? begins[id] : done);
    raise(end, done);
    if (operation.kind != Operation::Kind::send) continue;
    const ScheduleMessage& message = graph.messages()[graph.message_of(id)];
    raise(ends[message.receive], done + least_latency(machine, shape, message));
  }
  return end;
}

}  // namespace toroid
