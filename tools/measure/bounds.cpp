#include "tools/measure/bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tools/command_line/options.hpp"
#include "tools/measure/kind.hpp"
#include "tools/measure/message_bench.hpp"
#include "tools/results/bound.hpp"
#include "tools/results/host_bound.hpp"

namespace toroid {
namespace {

/// Cycles, not rounded: a stream shares out what a single message rounds up.
struct BenchCycles {
  double cycles;
  BoundBy by;
};

BenchCycles longer(const BenchCycles& a, const BenchCycles& b) {
  return b.cycles > a.cycles ? b : a;
}

/// Of a message of a stream; one of no bytes is an empty packet.
MessageCost stream_cost(const Machine& machine, std::uint64_t bytes) {
  if (bytes == 0) return {1, machine.wire_bytes(1)};
  return message_cost(machine, bytes);
}

/// Who sends to whom, the same number of bytes each.
std::vector<TrafficEntry> pairs_of(BenchKind kind, Rank nodes, std::uint64_t bytes) {
  const Rank last = nodes - 1;
  if (kind == BenchKind::bibw) return {{0, last, bytes}, {last, 0, bytes}};
  if (kind != BenchKind::rate) return {{0, last, bytes}};
  std::vector<TrafficEntry> pairs;
  for (Rank sender = 0; sender < nodes / 2; ++sender)
    pairs.push_back({sender, sender + nodes / 2, bytes});
  return pairs;
}

/// What a message takes of a long stream of them, and the way of one packet.
struct StreamCycles {
  BenchCycles message;
  double way;
};

StreamCycles stream_cycles(BenchKind kind, const MessageBench& bench, const MessageCost& cost) {
  constexpr double kPackets = 1e6;  // full ones of each pair, so that rounding up does not count
  const MatrixTraffic traffic(
      "streams", bench.shape.size(),
      pairs_of(kind, bench.shape.size(), static_cast<std::uint64_t>(kPackets) * kPayloadBytes));
  const Bounds bounds = traffic_bounds(bench.machine, bench.shape, traffic);
  const double wire = static_cast<double>(cost.wire_bytes) /
                      (kPackets * static_cast<double>(bench.machine.wire_bytes(kMaxChunks)));
  const auto links = static_cast<double>(std::max(bounds.hottest_link, bounds.injection));
  const double processor =
      static_cast<double>(bounds.processor) / kPackets * static_cast<double>(cost.packets);
  return {longer({links * wire, BoundBy::link}, {processor, BoundBy::processor}),
          static_cast<double>(bounds.zero_load)};
}

BenchCycles virtual_bound(BenchKind kind, const MessageBench& bench, std::uint64_t bytes) {
  const MessageCost cost = stream_cost(bench.machine, bytes);
  const StreamCycles stream = stream_cycles(kind, bench, cost);
  const auto inject = static_cast<double>(bench.machine.inject_cycles);
  switch (kind) {
    case BenchKind::latency:  // the last packet goes when the others have been injected
      return longer(stream.message, {stream.way + inject * static_cast<double>(cost.packets - 1),
                                     BoundBy::latency});
    case BenchKind::bw:
      return longer({bench.window * stream.message.cycles, stream.message.by},
                    {2 * stream.way, BoundBy::latency});
    case BenchKind::bibw:
      return longer({bench.window * stream.message.cycles, stream.message.by},
                    {stream.way, BoundBy::latency});
    case BenchKind::rate:
      return stream.message;
    case BenchKind::alltoall:
    case BenchKind::idle:
      break;
  }
  const Bound exchange = binding(all_to_all_bounds(bench.machine, bench.shape, cost));
  return {static_cast<double>(exchange.cycles), exchange.by};
}

/// Of an operation: bytes that are sent, and nodes that send or receive them.
std::pair<double, Rank> payload_of(BenchKind kind, const MessageBench& bench, std::uint64_t bytes) {
  const Rank nodes = bench.shape.size();
  const auto message = static_cast<double>(bytes);
  if (kind == BenchKind::bw) return {bench.window * message, 2};
  if (kind == BenchKind::bibw) return {2.0 * bench.window * message, 2};
  if (kind == BenchKind::rate) return {nodes / 2 * message, nodes / 2 * 2};
  if (kind == BenchKind::alltoall) return {message * nodes * (nodes - 1.0), nodes};
  return {message, 2};
}

}  // namespace

BenchBound bench_bound(BenchKind kind, const MessageBench& bench, std::uint64_t bytes,
                       unsigned workers) {
  TOROID_CHECK(kind != BenchKind::idle);
  if (bench.run.fabric == FabricName::sim) {
    const BenchCycles bound = virtual_bound(kind, bench, bytes);
    return {bound.cycles / bench.machine.clock_hz, bound.by};
  }
  const auto [payload, nodes] = payload_of(kind, bench, bytes);
  return {exchange_copy_seconds(payload, std::min<unsigned>(workers, nodes)), BoundBy::copy};
}

}  // namespace toroid
