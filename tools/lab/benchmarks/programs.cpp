#include "tools/lab/benchmarks/programs.hpp"

#include <cstddef>

#include "hal/packet.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"

namespace toroid::bench {
namespace {

constexpr HandlerId kMessageHandler = kFirstUserHandler;
constexpr HandlerId kEcho = kFirstUserHandler + 1;

/// Writes the packets of a stream to their places in one message buffer, and counts them.
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

// A window of 0 messages means all messages of a batch.

std::uint64_t windows_of(const Side& side, unsigned batch) {
  return side.window == 0 ? 1 : side.loop.of(batch);
}
std::uint64_t messages_of_window(const Side& side, unsigned batch) {
  return side.window == 0 ? side.loop.of(batch) : side.window;
}

}  // namespace

Program ping(Node& node, Side& side) {
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

Program pong(Node& node, Side& side) {
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

Program stream_out(Node& node, Side& side) {
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

Program stream_in(Node& node, Side& side) {
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

// Neither node can get ahead of the other by more than a window.
Program stream_both_ways(Node& node, Side& side) {
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

Program no_part(Node& node, Side& side) {
  for (unsigned batch = 0; side.together && batch <= side.loop.batches; ++batch)
    co_await node.barrier();
}

// Two exchanges alternate. A node that begins one has completed the other, so no packet of a round
// can reach a buffer that is still being read.
Program exchange_rounds(Node& node, Side& side) {
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
      const Tick at_once = 0;  // packets may leave before the node's own block is copied
      co_await node.compute(at_once);
      messages[round % 2].copy_own();
      ++round;
      co_await exchange.wait();
    }
    side.note(begin, node.now());
  }
  co_await node.barrier();
}

Program go_round(Node& node, Side& side) {
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

}  // namespace toroid::bench
