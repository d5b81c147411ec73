// A packet is passed straight into its destination's ring if nothing waits before it. Passed
// packets stay in order with packets that had to wait, carry their data, and are counted like all
// others.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::RingMachine;

constexpr std::uint32_t kEach = 3000;  // packets per pair
constexpr std::uint32_t kRounds = 2000;

/// A full payload in which every word is the packet's number.
using Words = std::array<std::uint32_t, kPayloadBytes / sizeof(std::uint32_t)>;

struct Heard {
  std::vector<std::uint32_t> next;  ///< [sender]: the number expected next
  std::uint32_t out_of_order = 0;
  std::uint32_t damaged = 0;
};

Program send_numbered(Node& node, Heard* heard) {
  Counter all("numbered packets");
  heard->next.assign(node.size(), 0);
  node.on(kHandler, [&all, heard](const Packet& packet) {
    const Words words = packet.as<Words>();
    const std::uint32_t from = packet.header.argument();
    heard->out_of_order += words.front() == heard->next[from]++ ? 0 : 1;
    heard->damaged += words.front() == words.back() ? 0 : 1;
    all.bump();
  });
  for (std::uint32_t i = 0; i < kEach; ++i)
    for (Rank to = 0; to < node.size(); ++to) {
      Words words;
      words.fill(i);
      if (to != node.rank()) co_await node.send(to, kHandler, words, node.rank());
    }
  co_await node.until(all, std::uint64_t{kEach} * (node.size() - 1));
}

void expect_order(const Shape& shape, unsigned threads, const Machine& buffers) {
  SCOPED_TRACE(shape.text() + " " + std::to_string(threads) + " workers");
  RingMachine machine(shape, threads, {}, testing::routed(RingRoute::direct), buffers);
  std::vector<Heard> heard(shape.size());
  machine.run([&](Node& node) { return send_numbered(node, &heard[node.rank()]); });
  for (const Heard& one : heard) {
    EXPECT_EQ(one.out_of_order, 0u);
    EXPECT_EQ(one.damaged, 0u);
  }
  const std::uint64_t sent = std::uint64_t{kEach} * shape.size() * (shape.size() - 1);
  EXPECT_EQ(machine.counters().packets, sent);
  EXPECT_EQ(machine.counters().delivered, sent);
  EXPECT_EQ(machine.counters().packet_bytes, sent * kPayloadBytes);
  std::uint64_t through_fifos = 0;
  for (const auto& fifo : machine.counters().fifos) through_fifos += fifo.packets;
  EXPECT_EQ(through_fifos, sent);
}

TEST(PassedPackets, KeepOrderWithWaitingPacketsInTheSmallestBuffers) {
  for (const char* shape : {"2", "3", "2x2"})
    for (const unsigned threads : {1u, 2u, 3u})
      expect_order(Shape::parse(shape), threads, testing::smallest_buffers());
}

TEST(PassedPackets, KeepOrderInDefaultBuffers) {
  expect_order(Shape::parse("2"), 2, Machine());
}

/// Each handler answers at once. So no packet waits in a queue, and only the packets that arrive
/// can wake the nodes.
Program play(Node& node, std::uint32_t* last) {
  Counter answers("answers");
  node.on(kHandler, [&answers, &node, last](const Packet& packet) {
    *last = packet.as<std::uint32_t>();
    answers.bump();
    const std::uint32_t next = *last + 1;
    if (next < 2 * kRounds)
      node.post(1 - node.rank(), kHandler, std::as_bytes(std::span(&next, 1)));
  });
  const std::uint32_t first = 0;
  if (node.rank() == 0) co_await node.send(1, kHandler, first);
  co_await node.until(answers, kRounds);
}

TEST(PassedPackets, SentByHandlersWakeTheirReceivers) {
  for (const unsigned threads : {1u, 2u}) {
    RingMachine machine(Shape::parse("2"), threads, {}, testing::routed(RingRoute::direct));
    std::array<std::uint32_t, 2> last{};
    machine.run([&](Node& node) { return play(node, &last[node.rank()]); });
    EXPECT_EQ(last[1], 2 * kRounds - 2);
    EXPECT_EQ(last[0], 2 * kRounds - 1);
  }
}

struct Passed {
  std::uint32_t packets = 0;
  bool wrong_way = true;
  bool behind_another = true;
};

/// Node 0 passes packets to node 1 until there is no more room. Node 1 belongs to the same worker,
/// so it receives nothing during this turn.
Program pass_until_full(Node& node, Passed* passed) {
  if (node.rank() == 0) {
    const SendDescriptor empty = node.descriptor(1, kHandler, 0, 0, 1);
    SendDescriptor astray = empty;
    astray.header = node.header(kHandler, 0, 0, 1).with_way(1, {});
    passed->wrong_way = node.try_pass(astray, {});
    while (node.try_pass(empty, {})) ++passed->packets;
    const std::uint32_t waits = 0;
    co_await node.send(1, kHandler, waits);
    passed->behind_another = node.try_pass(empty, {});
  }
}

TEST(PassedPackets, NeedRoomAndAnEmptyFifo) {
  RingMachine machine(Shape::parse("2"), 1, {}, testing::routed(RingRoute::direct));
  Passed passed;
  machine.run([&](Node& node) {
    node.on(kHandler, [](const Packet&) {});
    return pass_until_full(node, &passed);
  });
  EXPECT_GT(passed.packets, 0u);
  EXPECT_FALSE(passed.wrong_way);
  EXPECT_FALSE(passed.behind_another);
  EXPECT_EQ(machine.counters().delivered, passed.packets + 1u);
  EXPECT_EQ(machine.counters().refused, 0u);
}

}  // namespace
}  // namespace toroid
