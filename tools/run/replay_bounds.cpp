#include "tools/run/replay_bounds.hpp"

#include <utility>
#include <vector>

#include "hal/route.hpp"
#include "packet/node/settings.hpp"
#include "packet/replay/critical_path.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tools/run/host_copy_rate.hpp"

namespace toroid {

MessageSums message_sums(const ScheduleGraph& graph) {
  MessageSums sums;
  for (const ScheduleMessage& m : graph.messages()) {
    sums.bytes += m.bytes;
    sums.packets += m.from == m.to ? 0 : packets_of(m);
  }
  return sums;
}

ReplayBounds replay_bounds(const ScheduleGraph& graph, const Shape& shape, const Machine& machine) {
  std::vector<TrafficEntry> entries;
  for (const ScheduleMessage& m : graph.messages()) entries.push_back({m.from, m.to, m.bytes});
  const MatrixTraffic traffic("file", shape.size(), std::move(entries));
  return {traffic_bounds(machine, shape, traffic), critical_path(machine, shape, graph)};
}

Timing replay_timing(const ScheduleGraph& graph, const Shape& shape, const Machine& machine,
                     const Emulation& emulation, bool is_virtual, Tick cycles) {
  if (is_virtual) {
    const ReplayBounds bounds = replay_bounds(graph, shape, machine);
    const Bound bound = larger(binding(bounds.traffic), {bounds.critical_path, BoundBy::latency});
    return virtual_timing(cycles, bound, bounds.traffic.hottest_link, machine);
  }
  const auto bytes = static_cast<double>(message_sums(graph).bytes);
  return wall_clock_timing(
      static_cast<double>(cycles) / machine.clock_hz,
      exchange_copy_seconds(bytes, emulation.workers(), TransferMode::packets));
}

RunWork replay_work(const ScheduleGraph& graph, const Shape& shape) {
  RunWork work;
  for (const ScheduleMessage& m : graph.messages()) {
    if (m.from == m.to) continue;
    const auto packets = static_cast<double>(packets_of(m));
    work += {packets, packets * minimal_hops(shape, shape.coord(m.from), shape.coord(m.to)), 0};
  }
  return work;
}

}  // namespace toroid
