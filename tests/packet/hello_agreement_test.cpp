// Everybody greets everybody: on rings the same greetings arrive as on the model.
#include <gtest/gtest.h>

#include "tests/router/ring_machine.hpp"
#include "tests/router/sim_machine.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::kHandler;
using testing::RingMachine;
using testing::SimMachine;

struct Greeting {
  Rank from;
  std::uint32_t argument;
  auto operator<=>(const Greeting&) const = default;
};
using Log = std::vector<std::vector<Greeting>>;  ///< [rank], in the order of arrival

Program greet(Node& node, std::vector<Greeting>* log) {
  Counter heard("greetings");
  node.on(kHandler, [&heard, log](const Packet& packet) {
    log->push_back({packet.as<Rank>(), packet.header.argument()});
    heard.bump();
  });
  const SendOrder order = node.random_order();
  for (Rank peer : order)
    co_await node.send(peer, kHandler, node.rank(), node.rank() * 1000 + peer);
  co_await node.send(node.rank(), kHandler, node.rank(), 7);
  co_await node.until(heard, node.size());
}

/// Sorted: the order of arrival is nobody's promise.
Log greetings(EmulatedMachine& machine) {
  Log log(machine.size());
  machine.run([&](Node& node) { return greet(node, &log[node.rank()]); });
  EXPECT_TRUE(machine.finished());
  for (auto& heard : log) std::ranges::sort(heard);
  return log;
}

TEST(HelloAgreement, TheSameGreetingsArriveOnRingsAsOnTheModel) {
  for (const char* text : testing::kRingShapes) {
    const Shape shape = Shape::parse(text);
    SimMachine sim(shape);
    const Log expected = greetings(sim);
    for (const auto& c : testing::ring_cases()) {
      RingMachine rings(shape, c.threads, c.node(), testing::routed(c.route));
      ASSERT_EQ(greetings(rings), expected) << text << ' ' << c.text();
      ASSERT_EQ(rings.counters().packets, sim.counters().packets) << text << ' ' << c.text();
      ASSERT_EQ(rings.counters().delivered, sim.counters().delivered) << text << ' ' << c.text();
    }
  }
}

}  // namespace
}  // namespace toroid
