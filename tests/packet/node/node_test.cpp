// Handlers: packets to oneself, handlers that post, contents of packets.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;

std::vector<std::byte> pattern(unsigned bytes) {
  std::vector<std::byte> payload;
  for (unsigned i = 0; i < bytes; ++i) payload.push_back(static_cast<std::byte>(i * 7 + bytes));
  return payload;
}

Program nothing(Node&) {
  co_return;
}

TEST(Node, CarriesPayloadsOfEveryLengthWithTheirArgument) {
  SimMachine machine(Shape::parse("3x2"));
  std::vector<bool> seen(kPayloadBytes + 1);
  machine.node(5).on(kHandler, [&](const Packet& packet) {
    const auto bytes = packet.bytes();
    EXPECT_EQ(std::vector(bytes.begin(), bytes.end()), pattern(packet.header.argument()));
    seen.at(packet.header.argument()) = true;
  });
  for (unsigned bytes = 0; bytes <= kPayloadBytes; ++bytes)
    machine.node(1).post(5, kHandler, pattern(bytes), bytes);
  machine.run(nothing);
  EXPECT_EQ(seen, std::vector<bool>(kPayloadBytes + 1, true));
}

struct Largest {
  std::array<std::uint64_t, kPayloadBytes / 8> words;
};

Program send_largest(Node& node, Rank to) {
  Largest value;
  for (std::size_t i = 0; i < value.words.size(); ++i) value.words[i] = i * i;
  if (node.rank() == 0) co_await node.send(to, kHandler, value, 99);
}

TEST(Node, SendsValuesThatFillAPacket) {
  SimMachine machine(Shape::parse("4"));
  unsigned heard = 0;
  machine.node(3).on(kHandler, [&](const Packet& packet) {
    const auto value = packet.as<Largest>();
    for (std::size_t i = 0; i < value.words.size(); ++i) EXPECT_EQ(value.words[i], i * i);
    EXPECT_EQ(packet.header.argument(), 99u);
    ++heard;
  });
  machine.run([](Node& node) { return send_largest(node, 3); });
  EXPECT_EQ(heard, 1u);
}

Program count_to_itself(Node& node, unsigned packets) {
  Counter heard("own packets");
  node.on(kHandler, [&](const Packet& packet) {
    TOROID_CHECK_EQ(packet.as<unsigned>(), heard.value());
    heard.bump();
  });
  for (unsigned i = 0; i < packets; ++i) co_await node.send(node.rank(), kHandler, i);
  co_await node.until(heard, packets);
}

TEST(Node, SendsToItselfInOrderAndNotOverTheTorus) {
  for (const char* shape : {"1", "2x2"}) {
    SimMachine machine(Shape::parse(shape));
    machine.run([](Node& node) { return count_to_itself(node, 100); });
    EXPECT_EQ(machine.counters().packets, 0u);
    for (Rank r = 0; r < machine.size(); ++r) EXPECT_TRUE(machine.node(r).finished());
  }
}

/// Handlers alone pass a token on round the nodes, for as many hops as its argument says.
void pass_on(Node& node, const Packet& packet, unsigned& visits) {
  ++visits;
  const unsigned left = packet.header.argument();
  if (left > 0) node.post((node.rank() + 1) % node.size(), kHandler, {}, left - 1);
}

TEST(Node, HandlersMayPost) {
  for (const char* shape : {"1", "2", "5", "3x3"}) {
    SimMachine machine(Shape::parse(shape));
    std::vector<unsigned> visits(machine.size(), 0);
    for (Rank r = 0; r < machine.size(); ++r)
      machine.node(r).on(
          kHandler, [&, r](const Packet& packet) { pass_on(machine.node(r), packet, visits[r]); });
    machine.node(0).post(0, kHandler, {}, 100);
    machine.run(nothing);
    for (Rank r = 0; r < machine.size(); ++r)
      EXPECT_EQ(visits[r], (100 - r) / machine.size() + 1) << shape;
  }
}

TEST(Node, HandlersMayPostMoreThanTheQueuesHold) {
  SimMachine machine(Shape::parse("8"), {.settings = {.output_queues = 1, .queue_capacity = 1}});
  unsigned answers = 0;
  machine.node(4).on(kHandler, [&](const Packet&) {
    for (unsigned i = 0; i < 500; ++i) machine.node(4).post(0, kHandler + 1, pattern(240), i);
  });
  machine.node(0).on(kHandler + 1, [&](const Packet& packet) {
    EXPECT_EQ(packet.bytes().size(), 240u);
    ++answers;
  });
  machine.node(0).post(4, kHandler, {});
  machine.run(nothing);
  EXPECT_EQ(answers, 500u);
}

Program flood(Node& node, Rank to, unsigned packets) {
  for (unsigned i = 0; node.rank() == 0 && i < packets; ++i) co_await node.send(to, kHandler, i);
}

TEST(Node, SendWaitsForItsQueueAndLosesNothing) {
  SimMachine machine(Shape::parse("4"), {.settings = {.output_queues = 2, .queue_capacity = 1}});
  std::uint64_t sum = 0;
  machine.node(2).on(kHandler, [&](const Packet& packet) { sum += packet.as<unsigned>(); });
  machine.run([](Node& node) { return flood(node, 2, 1000); });
  EXPECT_EQ(sum, 999u * 1000 / 2);
  EXPECT_EQ(machine.counters().delivered, 1000u);
}

}  // namespace
}  // namespace toroid
