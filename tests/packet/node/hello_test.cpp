// The first program for a newcomer to read: every node tells every other its rank.
#include <gtest/gtest.h>

#include <cstdint>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

constexpr HandlerId kHello = kFirstUserHandler;

constexpr std::uint64_t sum_of_ranks(Rank nodes) {
  return std::uint64_t{nodes} * (nodes - 1) / 2;
}

Program hello(Node& node) {
  Counter heard;
  std::uint64_t sum = 0;
  node.on(kHello, [&](const Packet& packet) {
    sum += packet.as<Rank>();
    heard.bump();
  });
  const SendOrder order = node.random_order();
  for (Rank peer : order) co_await node.send(peer, kHello, node.rank());
  co_await node.until(heard, node.size() - 1);
  TOROID_CHECK_EQ(sum, sum_of_ranks(node.size()) - node.rank());
}

void say_hello(const char* text) {
  const Shape shape = Shape::parse(text);
  testing::SimMachine machine(shape);
  machine.run(hello);
  const std::uint64_t packets = std::uint64_t{shape.size()} * (shape.size() - 1);
  EXPECT_EQ(machine.counters().packets, packets) << text;
  EXPECT_EQ(machine.counters().delivered, packets) << text;
  for (Rank r = 0; r < shape.size(); ++r) EXPECT_TRUE(machine.node(r).finished()) << text;
}

TEST(Hello, IsHeardByEveryNode) {
  for (const char* shape : {"1", "2", "7", "3x3", "2x3x4", "2x2x2x2x2", "3x2x1x2x3", "8x8m"})
    say_hello(shape);
}

}  // namespace
}  // namespace toroid
