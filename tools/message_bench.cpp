#include "tools/message_bench.hpp"

#include <algorithm>

#include "packet/block_messages.hpp"
#include "packet/stream.hpp"

namespace toroid {
namespace {

constexpr HandlerId kMessageHandler = kFirstUserHandler;
constexpr HandlerId kEcho = kFirstUserHandler + 1;

/// One node's side of a benchmark.
struct BenchSide {
  Rank peer;
  std::uint64_t bytes;
  unsigned batches;         ///< that count; one more goes before them
  std::uint64_t per_batch;  ///< operations
  std::uint32_t per_visit;  ///< packets of an exchange
  std::vector<Tick> times{};

  void note(Tick begin, Tick end) { times.push_back(end - begin); }
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

std::uint64_t scaled(std::uint64_t operations, std::uint64_t bytes) {
  return std::max<std::uint64_t>(
      4, operations * kPayloadBytes / std::max<std::uint64_t>(bytes, kPayloadBytes));
}

Program ping(Node& node, BenchSide& side) {
  Inbox inbox(node, kMessageHandler, side.bytes);
  const std::vector<std::byte> message(side.bytes);
  Stream stream(node, kMessageHandler, side.peer, message);
  std::uint64_t expected = 0;
  for (unsigned batch = 0; batch <= side.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t i = 0; i < side.per_batch; ++i) {
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
  const std::uint64_t messages = (side.batches + std::uint64_t{1}) * side.per_batch;
  for (std::uint64_t i = 1; i <= messages; ++i) {
    const std::uint64_t expected = i * stream.packets();
    co_await node.until(inbox.arrived(), expected);
    stream.start();
  }
  co_await node.until(stream.sent(), messages);
}

Program stream_out(Node& node, BenchSide& side) {
  Counter echoes("echoes");
  node.on(kEcho, [&](const Packet&) { echoes.bump(); });
  const std::vector<std::byte> message(side.bytes);
  Stream stream(node, kMessageHandler, side.peer, message);
  for (unsigned batch = 0; batch <= side.batches; ++batch) {
    const Tick begin = node.now();
    stream.start(side.per_batch);
    const std::uint64_t expected = batch + std::uint64_t{1};
    co_await node.until(echoes, expected);
    side.note(begin, node.now());
  }
}

Program stream_in(Node& node, BenchSide& side) {
  Inbox inbox(node, kMessageHandler, side.bytes);
  const std::uint64_t packets = Stream::packets_of(side.bytes);
  for (unsigned batch = 0; batch <= side.batches; ++batch) {
    const std::uint64_t expected = (batch + std::uint64_t{1}) * side.per_batch * packets;
    co_await node.until(inbox.arrived(), expected);
    node.post(side.peer, kEcho, {});
  }
}

Program no_part(Node&) {
  co_return;
}

/// Two exchanges by turns: a node that begins the one has received all of the other, so that
/// nobody's packets of a round can reach a buffer that is still being read.
Program exchange_rounds(Node& node, BenchSide& side) {
  const Group all = Group::all(node.shape(), node.rank());
  BlockMessages messages[2] = {{node.size(), node.rank(), side.bytes},
                               {node.size(), node.rank(), side.bytes}};
  const AllToAllSchedule schedule{.packets_per_visit = side.per_visit};
  AllToAll exchanges[2] = {{node, kMessageHandler, all, messages[0], schedule},
                           {node, kEcho, all, messages[1], schedule}};
  std::uint64_t round = 0;
  for (unsigned batch = 0; batch <= side.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t i = 0; i < side.per_batch; ++i) {
      AllToAll& exchange = exchanges[round % 2];
      exchange.start();
      const Tick at_once = 0;  // what finds room leaves before the own block is copied
      co_await node.compute(at_once);
      messages[round % 2].copy_own();
      const std::uint64_t expected = (round / 2 + 1) * exchange.expected();
      ++round;
      co_await node.until(exchange.received(), expected);
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
  for (unsigned batch = 0; batch <= side.batches; ++batch) {
    const Tick begin = node.now();
    for (std::uint64_t i = 0; i < side.per_batch; ++i) co_await node.compute(1);
    side.note(begin, node.now());
  }
  for (Rank peer = 1; peer < node.size(); ++peer) node.post(peer, kMessageHandler, {});
}

/// Of the batches that count, averaged over the nodes of this process that measured.
BatchTimes batch_times(const std::vector<BenchSide>& sides, const Machine& machine,
                       double operations) {
  BatchTimes result{std::vector<double>(sides.front().batches), sides.front().per_batch};
  std::size_t measured = 0;
  for (const BenchSide& side : sides) {
    if (side.times.empty()) continue;
    ++measured;
    for (unsigned b = 0; b < side.batches; ++b)
      result.seconds[b] += static_cast<double>(side.times[b + 1]) / machine.clock_hz / operations;
  }
  if (measured == 0) return result;
  for (double& seconds : result.seconds) seconds /= static_cast<double>(measured);
  std::ranges::sort(result.seconds);
  return result;
}

/// A side for every node; program(node, side) makes what it runs.
template <typename Start>
std::vector<BenchSide> run_sides(const MessageBench& bench, std::uint64_t bytes,
                                 std::uint64_t per_batch, const Start& program) {
  Emulation emulation(bench.shape, bench.machine, bench.run, true, 0);
  std::vector<BenchSide> sides(bench.shape.size(), BenchSide{0, bytes, bench.batches, per_batch,
                                                             packets_per_visit(bench.run.fabric)});
  for (Node& node : emulation.nodes()) node.run(program(node, sides[node.rank()]));
  emulation.run();
  return sides;
}

}  // namespace

BatchTimes measure_latency(const MessageBench& bench, std::uint64_t bytes) {
  const Rank last = bench.shape.size() - 1;
  const std::uint64_t per_batch = scaled(2000, bytes);
  const auto sides = run_sides(bench, bytes, per_batch, [&](Node& node, BenchSide& side) {
    side.peer = last - node.rank();
    if (node.rank() != 0 && node.rank() != last) return no_part(node);
    return node.rank() == 0 ? ping(node, side) : pong(node, side);
  });
  return batch_times(sides, bench.machine, 2.0 * static_cast<double>(per_batch));
}

BatchTimes measure_rate(const MessageBench& bench, std::uint64_t bytes) {
  const Rank half = bench.shape.size() / 2;
  const std::uint64_t per_batch = scaled(20000, bytes);
  const auto sides = run_sides(bench, bytes, per_batch, [&](Node& node, BenchSide& side) {
    const bool sends = node.rank() < half;
    side.peer = sends ? node.rank() + half : node.rank() - half;
    if (node.rank() >= 2 * half) return no_part(node);
    return sends ? stream_out(node, side) : stream_in(node, side);
  });
  return batch_times(sides, bench.machine, static_cast<double>(per_batch));
}

BatchTimes measure_all_to_all(const MessageBench& bench, std::uint64_t bytes) {
  const std::uint64_t per_batch = scaled(2000, bytes * (bench.shape.size() - 1));
  return batch_times(run_sides(bench, bytes, per_batch, exchange_rounds), bench.machine,
                     static_cast<double>(per_batch));
}

BatchTimes measure_idle_turn(const MessageBench& bench) {
  constexpr std::uint64_t kRounds = 20000;
  MessageBench one = bench;
  one.run.threads = 1;
  const BatchTimes many = batch_times(run_sides(one, 0, kRounds, go_round), one.machine, kRounds);
  one.shape = Shape::parse("1");
  const BatchTimes alone = batch_times(run_sides(one, 0, kRounds, go_round), one.machine, kRounds);
  BatchTimes turn = many;
  for (double& seconds : turn.seconds)
    seconds = (seconds - alone.median()) / (bench.shape.size() - 1);
  return turn;
}

}  // namespace toroid
