#include "tools/lab/benchmarks/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/lab/benchmarks/kind.hpp"
#include "tools/lab/benchmarks/node_pairs.hpp"
#include "tools/lab/benchmarks/programs.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/link_crc_check.hpp"

namespace toroid {
namespace {

using bench::Part;
using bench::Side;
using NodeProgram = Program(Node&, Side&);

/// The iterations of a run: `per_batch` in each batch, unless the user gives the total number.
bench::Loop loop_of(const MessageBench& bench, std::uint64_t per_batch) {
  const std::uint64_t iterations = bench.iterations.value_or(bench.batches * per_batch);
  const auto batches = static_cast<unsigned>(std::min<std::uint64_t>(bench.batches, iterations));
  return {batches, iterations, bench.warm_up.value_or(iterations / batches)};
}

/// Number of operations of `bytes` bytes each that together move as much as `packets` full packets,
/// but at least `least`. A message smaller than a packet counts as one packet.
std::uint64_t scaled(std::uint64_t packets, std::uint64_t bytes, std::uint64_t least = 4) {
  return std::max<std::uint64_t>(
      least, packets * kPayloadBytes / std::max<std::uint64_t>(bytes, kPayloadBytes));
}

/// Measurements of all nodes of this process.
struct BenchSides {
  std::vector<Side> sides;
  bench::Loop loop;
  unsigned workers;
};

/// Mean time of a batch over the nodes that measured it.
double mean_ticks(const std::vector<Side>& sides, std::size_t batch) {
  double sum = 0;
  double measured = 0;
  for (const Side& side : sides) {
    if (side.times.empty()) continue;
    sum += static_cast<double>(side.times[batch].end - side.times[batch].begin);
    ++measured;
  }
  return measured == 0 ? 0 : sum / measured;
}

/// Time from the moment when the first node began a batch to the moment when the last node ended
/// it.
double joint_ticks(const std::vector<Side>& sides, std::size_t batch) {
  bench::TickSpan all{std::numeric_limits<Tick>::max(), 0};
  for (const Side& side : sides) {
    if (side.times.empty()) continue;
    all.begin = std::min(all.begin, side.times[batch].begin);
    all.end = std::max(all.end, side.times[batch].end);
  }
  return all.end < all.begin ? 0 : static_cast<double>(all.end - all.begin);
}

/// The times of all batches except the warm-up. ticks_of(sides, batch) returns a batch's time; an
/// iteration has `operations` operations.
template <typename TicksOf>
BatchTimes batch_times(const BenchSides& run, const Machine& machine, double operations,
                       const TicksOf& ticks_of) {
  BatchTimes result{std::vector<double>(run.loop.batches), run.loop.iterations, run.loop.warm_up,
                    run.workers};
  for (unsigned b = 0; b < run.loop.batches; ++b)
    result.seconds[b] = ticks_of(run.sides, b + 1) / machine.clock_hz /
                        (operations * static_cast<double>(run.loop.of(b + 1)));
  std::ranges::sort(result.seconds);
  return result;
}
BatchTimes batch_times(const BenchSides& run, const Machine& machine, double operations) {
  return batch_times(run, machine, operations, mean_ticks);
}

/// Gives every node a Side and runs program(node, side) on it.
template <typename Start>
BenchSides run_sides(const MessageBench& bench, const Side& side,
                     const std::vector<BenchMessages::Pair>& pairs, const Start& program) {
  Emulation emulation(bench.shape, bench.machine, bench.run, true, 0);
  std::vector<Side> sides(bench.shape.size(), side);
  for (const auto& [from, to] : pairs) {
    sides[from].part = Part::sends;
    sides[from].peer = to;
    if (sides[to].part == Part::none) sides[to].part = Part::receives;
    sides[to].peer = from;
  }
  for (Node& node : emulation.nodes()) node.run(program(node, sides[node.rank()]));
  emulation.run();
  check_links(emulation.counters(), bench.shape);
  return {std::move(sides), side.loop, emulation.workers()};
}

/// Runs the benchmark's streams: `sender` is the program of nodes that send, `receiver` of nodes
/// that only receive.
BenchSides run_streams(BenchKind kind, const MessageBench& bench, const Side& side,
                       NodeProgram* sender, NodeProgram* receiver) {
  const BenchMessages messages = bench_messages(kind, bench);
  return run_sides(bench, side, messages.pairs, [&](Node& node, Side& own) {
    if (own.part == Part::none) return bench::no_part(node, own);
    return own.part == Part::sends ? sender(node, own) : receiver(node, own);
  });
}

/// The initial Side of all nodes.
Side side_of(const MessageBench& bench, std::uint64_t bytes, std::uint64_t per_batch,
             std::uint32_t window) {
  return {.bytes = bytes, .loop = loop_of(bench, per_batch), .window = window};
}

/// The plan of an all-to-all with `bytes` bytes per pair, under the policy of the run's nodes.
ExchangePlan plan_of(const MessageBench& bench, std::uint64_t bytes) {
  const NodeOptions& options = bench.run.node;
  const auto traffic = make_traffic("all-to-all", bench.shape, bytes, options.seed);
  return ExchangePlan(*options.policy, bench.shape, bench.shape,
                      settings_of(*options.policy, options.changes, options.packets_per_visit,
                                  {bench.shape, bench.machine, *traffic}),
                      {.seed = options.seed, .payload = true, .places = true});
}

/// Number of windows in a batch.
std::uint64_t scaled_windows(const MessageBench& bench, std::uint64_t bytes) {
  return scaled(20000, std::max<std::uint64_t>(bytes, kPayloadBytes) * bench.window, 1);
}

}  // namespace

BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes) {
  const Side side = side_of(bench, bytes, scaled(2000, bytes), 1);
  return batch_times(run_streams(BenchKind::latency, bench, side, bench::ping, bench::pong),
                     bench.machine, 2);
}

BatchTimes measure_bandwidth(const MessageBench& bench, std::uint64_t bytes) {
  const Side side = side_of(bench, bytes, scaled_windows(bench, bytes), bench.window);
  return batch_times(run_streams(BenchKind::bw, bench, side, bench::stream_out, bench::stream_in),
                     bench.machine, 1);
}

BatchTimes measure_both_ways(const MessageBench& bench, std::uint64_t bytes) {
  const Side side = side_of(bench, bytes, scaled_windows(bench, bytes), bench.window);
  return batch_times(
      run_streams(BenchKind::bibw, bench, side, bench::stream_both_ways, bench::stream_both_ways),
      bench.machine, 1);
}

BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes) {
  Side side = side_of(bench, bytes, scaled(20000, bytes), 0);
  side.together = true;
  return batch_times(run_streams(BenchKind::rate, bench, side, bench::stream_out, bench::stream_in),
                     bench.machine, 1, joint_ticks);
}

BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes) {
  const ExchangePlan plan = plan_of(bench, bytes);
  Side side = side_of(bench, bytes, scaled(2000, bytes * (bench.shape.size() - 1)), 1);
  side.plan = &plan;
  MessageBench under = bench;
  under.run.node.settings = plan.settings();
  under.run.node.named_queues = plan.named_queues();
  return batch_times(run_sides(under, side, {}, bench::exchange_rounds), bench.machine, 1,
                     joint_ticks);
}

BatchTimes measure_idle_turn(const MessageBench& bench) {
  constexpr std::uint64_t kRounds = 20000;
  MessageBench one = bench;
  one.run.threads = 1;
  const Side side = side_of(one, 0, kRounds, 1);
  const BatchTimes many = batch_times(run_sides(one, side, {}, bench::go_round), one.machine, 1);
  one.shape = Shape::parse("1");
  const BatchTimes alone = batch_times(run_sides(one, side, {}, bench::go_round), one.machine, 1);
  BatchTimes turn = many;
  for (double& seconds : turn.seconds)
    seconds = (seconds - alone.median()) / (bench.shape.size() - 1);
  return turn;
}

}  // namespace toroid
