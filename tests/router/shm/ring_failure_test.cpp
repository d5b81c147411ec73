// An exception on any node or in the watch ends a run on rings, whatever the other nodes do.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failing_programs.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using testing::failure_of;
using testing::kHandler;
using testing::MachineExchange;
using testing::RingMachine;

/// Sets the handler before the run and leaves the node without a program.
Program relay(Node& node) {
  testing::relay_for_ever(node);
  return Program();
}

/// Lets one node of a 2x3 torus throw, and expects that the run fails with the node's name and
/// `what`.
void expect_failure(const std::function<Program(Node&, Rank)>& program, const std::string& what) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers)
      for (const Rank who : {0u, 3u, 5u}) {
        RingMachine machine(Shape::parse("2x3"), threads, {}, testing::routed(route));
        const std::string node = machine.shape().coord_text(who);
        EXPECT_EQ(failure_of([&] { machine.run([&](Node& n) { return program(n, who); }); }),
                  "node " + node + ": " + what)
            << threads << " workers";
      }
}

TEST(RingFailure, OfAProgramNamesItsNodeWhateverOthersDo) {
  expect_failure(testing::fail_in_the_program, "in a program");
}

TEST(RingFailure, OfAHandlerNamesItsNodeWhateverOthersDo) {
  expect_failure(testing::fail_in_a_handler, "in a handler");
}

/// Throws when node `who` gathers the last packet of a message.
class Unreadable final : public UniformMessages {
 public:
  Unreadable(const Node& node, Rank who)
      : UniformMessages(node.shape(), 500, kPayloadBytes), fails_(node.rank() == who) {}
  bool has_payload() const override { return true; }
  std::uint32_t gather(Rank, std::uint32_t packet, std::span<std::byte>) const override {
    if (fails_ && packet == 2) throw std::runtime_error("in gather");
    return packet;
  }

 private:
  bool fails_;
};

TEST(RingFailure, OfAPayloadSourceNamesItsNode) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers)
      for (const Rank who : {0u, 3u, 5u}) {
        RingMachine machine(Shape::parse("2x3"), threads, {}, testing::routed(route));
        MachineExchange exchange(machine,
                                 [&](Node& n) { return std::make_unique<Unreadable>(n, who); });
        EXPECT_EQ(failure_of([&] { exchange.run(); }),
                  "node " + machine.shape().coord_text(who) + ": in gather");
      }
}

Program fail_at_once(Node& node) {
  throw std::runtime_error("at once");
  co_await node.barrier();
}

TEST(RingFailure, OfAllNodesIsReportedOnce) {
  for (const unsigned threads : testing::kWorkers) {
    RingMachine machine(Shape::parse("2x3"), threads);
    const std::string text = failure_of([&] { machine.run(fail_at_once); });
    EXPECT_EQ(text.find("node ("), 0u) << text;
    EXPECT_EQ(text.find("node", 1), std::string::npos) << text;
    EXPECT_NE(text.find("): at once"), std::string::npos) << text;
  }
}

TEST(RingFailure, OfAMissingHandlerNamesItsNode) {
  RingMachine machine(Shape::parse("2x2"), 2);
  machine.node(0).post(3, 255, {});
  const std::string text = failure_of([&] { machine.run([](Node&) { return Program(); }); });
  EXPECT_EQ(text.find("node (1,1): received a packet for handler 255, which it does not have"), 0u)
      << text;
}

struct Stop {
  std::thread::id by;
};

TEST(RingFailure, OfTheWatchIsRethrownUnchangedByRun) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers) {
      RingOptions options = testing::routed(route);
      int calls = 0;
      options.watch = [&calls](std::uint64_t) {
        if (++calls == 3) throw Stop{std::this_thread::get_id()};
      };
      RingMachine machine(Shape::parse("2x3"), threads, {}, options);
      try {
        machine.run(relay);
        FAIL() << "a run that should last for ever has ended";
      } catch (const Stop& stop) {
        EXPECT_EQ(stop.by, std::this_thread::get_id());
        EXPECT_EQ(calls, 3);
      }
      EXPECT_GT(machine.counters().packets, 0u);
    }
}

}  // namespace
}  // namespace toroid
