#include "tools/measure/message_bench.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/command_line/options.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {
namespace {

constexpr HandlerId kMessageHandler = kFirstUserHandler;
constexpr HandlerId kEcho = kFirstUserHandler + 1;

/// Iterations in batches: the first is the warm-up, then those that count, as equal as they can be.
struct BenchLoop {
  unsigned batches;  ///< that count
  std::uint64_t iterations;
  std::uint64_t warm_up;

  std::uint64_t of(unsigned batch) const {
    if (batch == 0) return warm_up;
    return iterations / batches + (batch <= iterations % batches ? 1 : 0);
  }
};

/// `per_batch` iterations each where the user has not said how many.
BenchLoop loop_of(const MessageBench& bench, std::uint64_t per_batch) {
  const std::uint64_t iterations = bench.iterations.value_or(bench.batches * per_batch);
  const auto batches = static_cast<unsigned>(std::min<std::uint64_t>(bench.batches, iterations));
  return {batches, iterations, bench.warm_up.value_or(iterations / batches)};
}

/// When a batch began and ended on a node's clock.
struct TickSpan {
  Tick begin;
  Tick end;
};

/// One node's side of a benchmark.
struct BenchSide {
  Rank peer;
  std::uint64_t bytes;
  BenchLoop loop;
  std::uint32_t window;      ///< messages
  const ExchangePlan* plan;  ///< of an all-to-all; null: another benchmark
  bool together;             ///< all nodes begin every batch at once, behind a barrier
  std::vector<TickSpan> times{};

  void note(Tick begin, Tick end) { times.push_back({begin, end}); }
};

/// Writes messages of a stream to where they belong and counts their packets.
class Inbox {
 public:
  Inbox(Node& node, HandlerId handler, std::uint64_t bytes) : message_(bytes) {
    node.on(handler, [this](const Packet& packet) {
      const auto payload = packet.bytes();
      copy_payload(message_.data() + packet.header.argument(), payload.data(), payload.size());
      arrived_.bump();
    });
  }
  const Counter& arrived() const { return arrived_; }

 private:
  std::vector<std::byte> message_;
  Counter arrived_{"packets of messages"};
};

std::uint64_t scaled(std::uint64_t operations, std::uint64_t bytes, std::uint64_t least = 4) {
  return std::max<std::uint64_t>(
      least, operations * kPayloadBytes / std::max<std::uint64_t>(bytes, kPayloadBytes));
}

Program ping(Node& node, BenchSide& side) {
  Inbox inbox(node, kMessageHandler, side.bytes);
  const std::vector<std::byte> message(side.bytes);
  Stream stream(node, kMessageHandler, side.peer, message);
  std::uint64_t expected = 0;
  for (unsigned batch = 0; batch <= side.loop.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t i = 0; i < side.loop.of(batch); ++i) {
      stream.start();
      expected += stream.packets();
      co_await node.until(inbox.arrived(), expected);
    }
    side.note(begin, node.now());
  }
}

Program pong(Node& node, BenchSide& side) {
  Inbox inbox(node, kMessageHandler, side.bytes);
  const std::vector<std::byte> message(side.bytes);
  Stream stream(node, kMessageHandler, side.peer, message);
  const std::uint64_t messages = side.loop.warm_up + side.loop.iterations;
  for (std::uint64_t i = 1; i <= messages; ++i) {
    const std::uint64_t expected = i * stream.packets();
    co_await node.until(inbox.arrived(), expected);
    stream.start();
  }
  co_await node.until(stream.sent(), messages);
}

/// A window that is 0 stands for all of a batch.
std::uint64_t windows_of(const BenchSide& side, unsigned batch) {
  return side.window == 0 ? 1 : side.loop.of(batch);
}
std::uint64_t messages_of_window(const BenchSide& side, unsigned batch) {
  return side.window == 0 ? side.loop.of(batch) : side.window;
}

Program stream_out(Node& node, BenchSide& side) {
  Counter echoes("echoes");
  node.on(kEcho, [&](const Packet&) { echoes.bump(); });
  const std::vector<std::byte> message(side.bytes);
  Stream stream(node, kMessageHandler, side.peer, message);
  std::uint64_t expected = 0;
  for (unsigned batch = 0; batch <= side.loop.batches; ++batch) {
    if (side.together) co_await node.barrier();
    const Tick begin = node.now();
    for (std::uint64_t w = 0; w < windows_of(side, batch); ++w) {
      stream.start(messages_of_window(side, batch));
      ++expected;
      co_await node.until(echoes, expected);
    }
    side.note(begin, node.now());
  }
}

Program stream_in(Node& node, BenchSide& side) {
  Inbox inbox(node, kMessageHandler, side.bytes);
  const std::uint64_t packets = Stream::packets_of(side.bytes);
  std::uint64_t expected = 0;
  for (unsigned batch = 0; batch <= side.loop.batches; ++batch) {
    if (side.together) co_await node.barrier();
    for (std::uint64_t w = 0; w < windows_of(side, batch); ++w) {
      expected += messages_of_window(side, batch) * packets;
      co_await node.until(inbox.arrived(), expected);
      node.post(side.peer, kEcho, {});
    }
  }
}

/// Both nodes' side. Neither can be ahead of the other by more than a window.
Program stream_both_ways(Node& node, BenchSide& side) {
  Inbox inbox(node, kMessageHandler, side.bytes);
  const std::vector<std::byte> message(side.bytes);
  Stream stream(node, kMessageHandler, side.peer, message);
  std::uint64_t sent = 0;
  for (unsigned batch = 0; batch <= side.loop.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t w = 0; w < windows_of(side, batch); ++w) {
      stream.start(side.window);
      sent += side.window;
      co_await node.until(stream.sent(), sent);
      const std::uint64_t expected = sent * stream.packets();
      co_await node.until(inbox.arrived(), expected);
    }
    if (node.rank() == 0) side.note(begin, node.now());
  }
}

/// Of a node that neither sends nor receives.
Program no_part(Node& node, BenchSide& side) {
  for (unsigned batch = 0; side.together && batch <= side.loop.batches; ++batch)
    co_await node.barrier();
}

/// Two exchanges by turns: a node that begins the one has received all of the other, so that
/// nobody's packets of a round can reach a buffer that is still being read.
Program exchange_rounds(Node& node, BenchSide& side) {
  const Group all = Group::all(node.shape(), node.rank());
  const ExchangePlan& plan = *side.plan;
  BlockMessages messages[2] = {{node.shape(), node.rank(), side.bytes, plan.data_bytes()},
                               {node.shape(), node.rank(), side.bytes, plan.data_bytes()}};
  const auto second = static_cast<HandlerId>(kMessageHandler + plan.handlers());
  Exchange exchanges[2] = {{node, kMessageHandler, all, plan, messages[0]},
                           {node, second, all, plan, messages[1]}};
  std::uint64_t round = 0;
  for (unsigned batch = 0; batch <= side.loop.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t i = 0; i < side.loop.of(batch); ++i) {
      Exchange& exchange = exchanges[round % 2];
      exchange.start();
      const Tick at_once = 0;  // what finds room leaves before the own block is copied
      co_await node.compute(at_once);
      messages[round % 2].copy_own();
      ++round;
      co_await exchange.wait_received();
    }
    side.note(begin, node.now());
  }
  co_await node.barrier();
}

/// Keeps its worker going round; the others wait for it.
Program go_round(Node& node, BenchSide& side) {
  Counter released("releases");
  node.on(kMessageHandler, [&](const Packet&) { released.bump(); });
  if (node.rank() != 0) {
    co_await node.until(released, 1);
    co_return;
  }
  for (unsigned batch = 0; batch <= side.loop.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t i = 0; i < side.loop.of(batch); ++i) co_await node.compute(1);
    side.note(begin, node.now());
  }
  for (Rank peer = 1; peer < node.size(); ++peer) node.post(peer, kMessageHandler, {});
}

/// What all nodes of this process measured.
struct BenchSides {
  std::vector<BenchSide> sides;
  BenchLoop loop;
  unsigned workers;
};

/// The mean of what the nodes that measured took for a batch.
double mean_ticks(const std::vector<BenchSide>& sides, std::size_t batch) {
  double sum = 0;
  double measured = 0;
  for (const BenchSide& side : sides) {
    if (side.times.empty()) continue;
    sum += static_cast<double>(side.times[batch].end - side.times[batch].begin);
    ++measured;
  }
  return measured == 0 ? 0 : sum / measured;
}

/// From the first that began a batch to the last that ended it.
double joint_ticks(const std::vector<BenchSide>& sides, std::size_t batch) {
  TickSpan all{std::numeric_limits<Tick>::max(), 0};
  for (const BenchSide& side : sides) {
    if (side.times.empty()) continue;
    all.begin = std::min(all.begin, side.times[batch].begin);
    all.end = std::max(all.end, side.times[batch].end);
  }
  return all.end < all.begin ? 0 : static_cast<double>(all.end - all.begin);
}

/// Of the batches that count; ticks_of(sides, batch) is what a batch took, `operations` are those
/// of an iteration.
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

/// A side for every node; program(node, side) makes what it runs.
template <typename Start>
BenchSides run_sides(const MessageBench& bench, std::uint64_t bytes, std::uint64_t per_batch,
                     std::uint32_t window, const Start& program, bool together = false,
                     const ExchangePlan* plan = nullptr) {
  Emulation emulation(bench.shape, bench.machine, bench.run, true, 0);
  const BenchLoop loop = loop_of(bench, per_batch);
  std::vector<BenchSide> sides(bench.shape.size(),
                               BenchSide{0, bytes, loop, window, plan, together});
  for (Node& node : emulation.nodes()) node.run(program(node, sides[node.rank()]));
  emulation.run();
  return {std::move(sides), loop, emulation.workers()};
}

/// first(node, side) on the first node, last(node, side) on the last.
template <typename First, typename Last>
BenchSides run_pair(const MessageBench& bench, std::uint64_t bytes, std::uint64_t per_batch,
                    std::uint32_t window, const First& first, const Last& last) {
  const Rank end = bench.shape.size() - 1;
  return run_sides(bench, bytes, per_batch, window, [&](Node& node, BenchSide& side) {
    side.peer = end - node.rank();
    if (node.rank() != 0 && node.rank() != end) return no_part(node, side);
    return node.rank() == 0 ? first(node, side) : last(node, side);
  });
}

/// Windows of a batch.
std::uint64_t scaled_windows(const MessageBench& bench, std::uint64_t bytes) {
  return scaled(20000, std::max<std::uint64_t>(bytes, kPayloadBytes) * bench.window, 1);
}

}  // namespace

BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes) {
  return batch_times(run_pair(bench, bytes, scaled(2000, bytes), 1, ping, pong), bench.machine, 2);
}

BatchTimes measure_bandwidth(const MessageBench& bench, std::uint64_t bytes) {
  return batch_times(
      run_pair(bench, bytes, scaled_windows(bench, bytes), bench.window, stream_out, stream_in),
      bench.machine, 1);
}

BatchTimes measure_both_ways(const MessageBench& bench, std::uint64_t bytes) {
  return batch_times(run_pair(bench, bytes, scaled_windows(bench, bytes), bench.window,
                              stream_both_ways, stream_both_ways),
                     bench.machine, 1);
}

BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes) {
  const Rank half = bench.shape.size() / 2;
  const auto start = [&](Node& node, BenchSide& side) {
    const bool sends = node.rank() < half;
    side.peer = sends ? node.rank() + half : node.rank() - half;
    if (node.rank() >= 2 * half) return no_part(node, side);
    return sends ? stream_out(node, side) : stream_in(node, side);
  };
  return batch_times(run_sides(bench, bytes, scaled(20000, bytes), 0, start, true), bench.machine,
                     1, joint_ticks);
}

BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes) {
  const std::uint64_t per_batch = scaled(2000, bytes * (bench.shape.size() - 1));
  const NodeOptions& options = bench.run.node;
  const auto traffic = make_traffic("all-to-all", bench.shape, bytes, options.seed);
  const ExchangePlan plan(*options.policy, bench.shape, bench.shape,
                          settings_of(*options.policy, options.changes, options.packets_per_visit,
                                      {bench.shape, bench.machine, *traffic}),
                          {.seed = options.seed, .payload = true, .places = true});
  MessageBench under = bench;
  under.run.node.settings = plan.settings();
  under.run.node.named_queues = plan.named_queues();
  return batch_times(run_sides(under, bytes, per_batch, 1, exchange_rounds, false, &plan),
                     bench.machine, 1);
}

BatchTimes measure_idle_turn(const MessageBench& bench) {
  constexpr std::uint64_t kRounds = 20000;
  MessageBench one = bench;
  one.run.threads = 1;
  const BatchTimes many = batch_times(run_sides(one, 0, kRounds, 1, go_round), one.machine, 1);
  one.shape = Shape::parse("1");
  const BatchTimes alone = batch_times(run_sides(one, 0, kRounds, 1, go_round), one.machine, 1);
  BatchTimes turn = many;
  for (double& seconds : turn.seconds)
    seconds = (seconds - alone.median()) / (bench.shape.size() - 1);
  return turn;
}

}  // namespace toroid
