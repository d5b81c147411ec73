#include "tools/lab/benchmarks/bounds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/exchange_bounds.hpp"
#include "tools/run/host_copy_rate.hpp"

namespace toroid {
namespace {

/// Number of full packets that each pair sends in a long stream. With this number, rounding up to
/// whole cycles does not matter.
constexpr std::uint64_t kStreamPackets = 1'000'000;

/// Cycles that are not rounded to a whole number. The time of a single message would be rounded up,
/// but in a long stream rounding hardly adds to the time per message.
struct BenchCycles {
  double cycles;
  BoundBy by;
};

BenchCycles longer(const BenchCycles& a, const BenchCycles& b) {
  return b.cycles > a.cycles ? b : a;
}

Bounds stream_bounds(const MessageBench& bench, const BenchMessages& messages) {
  std::vector<TrafficEntry> streams;
  for (const auto& [from, to] : messages.pairs)
    streams.push_back({from, to, kStreamPackets * kPayloadBytes});
  const MatrixTraffic traffic("streams", bench.shape.size(), std::move(streams));
  return traffic_bounds(bench.machine, bench.shape, traffic);
}

/// Cycles per message in a long stream of messages.
BenchCycles message_cycles(const Machine& machine, const Bounds& streams, const MessageCost& cost) {
  constexpr auto kPackets = static_cast<double>(kStreamPackets);
  const double wire = static_cast<double>(cost.wire_bytes) /
                      (kPackets * static_cast<double>(machine.wire_bytes(kMaxChunks)));
  const auto links = static_cast<double>(std::max(streams.hottest_link, streams.injection));
  const double processor =
      static_cast<double>(streams.processor) / kPackets * static_cast<double>(cost.packets);
  return longer({links * wire, BoundBy::link}, {processor, BoundBy::processor});
}

/// Exchanges follow each other, and a node may begin one before others have ended the previous one.
/// So the latency of messages does not limit their rate.
BenchCycles exchange_cycles(const MessageBench& bench, std::uint64_t bytes) {
  const NodeOptions& options = bench.run.node;
  const auto traffic = make_traffic("all-to-all", bench.shape, bytes, options.seed);
  const TrafficExchange exchange(*options.policy, *traffic, bench.shape, bench.machine,
                                 {.seed = options.seed,
                                  .payload = false,
                                  .changes = options.changes,
                                  .transfer = options.transfer,
                                  .packets_per_visit = options.packets_per_visit});
  Bounds bounds = exchange_limits(exchange, bench.machine, bench.run.sim.dma).bounds;
  bounds.zero_load = 0;
  const Bound bound = binding(bounds);
  return {static_cast<double>(bound.cycles), bound.by};
}

/// Cycles of a message between the first and the last node, if it has the machine to itself.
BenchCycles alone(const MessageBench& bench, const MessageCost& cost) {
  const Coord first = bench.shape.coord(0), last = bench.shape.coord(bench.shape.size() - 1);
  const Tick cycles = lone_message_cycles(bench.machine, cost, bench.shape, first, last);
  return {static_cast<double>(cycles), BoundBy::latency};
}

/// Cycles of an operation whose messages take `message` each in a long stream.
BenchCycles operation_cycles(BenchKind kind, const MessageBench& bench, const MessageCost& cost,
                             const BenchCycles& message) {
  if (kind == BenchKind::latency) return longer(message, alone(bench, cost));
  const BenchCycles window{bench.window * message.cycles, message.by};
  const BenchCycles empty = alone(bench, sent_message_cost(bench.machine, 0));
  if (kind == BenchKind::bibw) return longer(window, empty);
  if (kind != BenchKind::bw) return message;
  BenchCycles acknowledged = longer(window, alone(bench, cost));
  acknowledged.cycles += empty.cycles;  // the acknowledgement leaves when the window has arrived
  return acknowledged;
}

}  // namespace

BenchBounds::BenchBounds(BenchKind kind, const MessageBench& bench)
    : kind_(kind), bench_(bench), messages_(bench_messages(kind, bench)) {
  TOROID_CHECK(kind != BenchKind::idle);
  if (bench.run.fabric == FabricName::sim && !messages_.pairs.empty())
    streams_ = stream_bounds(bench, messages_);
}

BenchBound BenchBounds::at(std::uint64_t bytes, unsigned workers) const {
  if (bench_.run.fabric == FabricName::sim) return virtual_bound(bytes);
  const double payload = messages_.messages * static_cast<double>(bytes);
  const TransferMode transfer =
      kind_ == BenchKind::alltoall ? bench_.run.node.transfer : TransferMode::packets;
  return {exchange_copy_seconds(payload, std::min<unsigned>(workers, messages_.nodes), transfer),
          BoundBy::copy};
}

BenchBound BenchBounds::virtual_bound(std::uint64_t bytes) const {
  const MessageCost cost = sent_message_cost(bench_.machine, bytes);
  const BenchCycles bound =
      messages_.pairs.empty()
          ? exchange_cycles(bench_, bytes)
          : operation_cycles(kind_, bench_, cost, message_cycles(bench_.machine, streams_, cost));
  return {bound.cycles / bench_.machine.clock_hz, bound.by};
}

}  // namespace toroid
