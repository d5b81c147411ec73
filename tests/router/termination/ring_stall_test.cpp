// A run on rings that cannot go on ends at once; one that only takes long does not.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/termination/waiting_programs.hpp"

namespace toroid {
namespace {

using testing::enter_barrier;
using testing::failure_of;
using testing::kHandler;
using testing::RingMachine;
using testing::wait_for_three;

using std::chrono::milliseconds;

/// Options with a stall limit of a day, so that no run reaches it during a test.
RingOptions patient(RingRoute route) {
  RingOptions options = testing::routed(route);
  options.stall = std::chrono::hours(24);
  return options;
}

TEST(RingStall, NamesNodeAndCounterWithoutWaitingForTheLimit) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers) {
      RingMachine machine(Shape::parse("2x3"), threads, {}, patient(route));
      machine.node(0).post(4, kHandler, {});
      machine.node(5).post(4, kHandler, {});
      EXPECT_EQ(
          failure_of([&] { machine.run([](Node& n) { return wait_for_three(n, 4); }); }),
          "the run stalled for ever: 1 of 6 nodes wait; node (1,1) waits for heard at 2 of 3");
    }
}

TEST(RingStall, NamesABarrierThatOneNodeNeverEnters) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers) {
      RingMachine machine(Shape::parse("5"), threads, {}, patient(route));
      const std::string text =
          failure_of([&] { machine.run([](Node& node) { return enter_barrier(node, 2); }); });
      EXPECT_NE(text.find("the barrier"), std::string::npos) << text;
      EXPECT_NE(text.find("4 of 5 nodes wait"), std::string::npos) << text;
    }
}

/// After many rounds of packets from all nodes, waits for packets that never come. If the counts of
/// injected and delivered packets were wrong by one after the rounds, they would never agree, and
/// the stall would not be found.
Program wait_after_rounds(Node& node, unsigned rounds) {
  Counter never("missing packets");
  for (unsigned round = 0; round < rounds; ++round) co_await node.barrier();
  co_await node.until(never, 1);
}

TEST(RingStall, IsNoticedAfterTrafficHasStopped) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : testing::kWorkers) {
      RingMachine machine(Shape::parse("3x3"), threads, {}, patient(route));
      const std::string text =
          failure_of([&] { machine.run([](Node& n) { return wait_after_rounds(n, 30); }); });
      EXPECT_EQ(
          text,
          "the run stalled for ever: 9 of 9 nodes wait; node (0,0) waits for missing packets at "
          "0 of 1");
    }
}

void busy_for(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

/// The last node computes when its first packet arrives, while further packets for it pile up.
Program flood_a_busy_node(Node& node, unsigned packets) {
  Counter heard("heard");
  const Rank last = node.size() - 1;
  node.on(kHandler, [&heard](const Packet&) {
    if (heard.value() == 0) busy_for(milliseconds(500));
    heard.bump();
  });
  if (node.rank() != last)
    for (unsigned i = 0; i < packets; ++i) co_await node.send(last, kHandler, i);
  const std::uint64_t expected = node.rank() == last ? std::uint64_t{last} * packets : 0;
  co_await node.until(heard, expected);
}

TEST(RingStall, IsNotReportedWhileAHandlerComputesBeyondTheLimit) {
  for (const RingRoute route : testing::kRoutes)
    for (const unsigned threads : {1u, 3u}) {
      RingOptions options = testing::routed(route);
      options.stall = milliseconds(100);
      RingMachine machine(Shape::parse("5"), threads, {}, options);
      EXPECT_NO_THROW(machine.run([](Node& node) { return flood_a_busy_node(node, 100); }));
      EXPECT_TRUE(machine.finished());
    }
}

/// Node 0 sleeps again and again in its own program, while the others wait in the barrier.
Program sleep_in_steps(Node& node, unsigned steps) {
  for (unsigned i = 0; i < steps && node.rank() == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    co_await node.compute(1);
  }
  co_await node.barrier();
}

TEST(RingStall, IsNotReportedWhileAProgramMovesInSmallSteps) {
  RingOptions options;
  options.stall = milliseconds(100);
  RingMachine machine(Shape::parse("2x2"), 2, {}, options);
  EXPECT_NO_THROW(machine.run([](Node& node) { return sleep_in_steps(node, 100); }));
}

}  // namespace
}  // namespace toroid
