// Runs that would not end: programs that wait for ever, go on for ever or never return.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/node/wrong_programs.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::end_of;
using testing::expect_end;
using testing::kHandler;
using testing::kRoutes;
using testing::RingMachine;
using testing::routed;
using testing::SimMachine;
using testing::wait_for;

Program at_barrier(Node& node) {
  co_await node.barrier();
}

Program end_at_once(Node& node) {
  if (node.rank() != 0) co_await node.barrier();
}

TEST(EndlessRun, OfABarrierThatOneNodeDoesNotReachIsNamed) {
  expect_end(end_at_once, {"wait", "the barrier"});
}

TEST(EndlessRun, OfACounterThatNobodyCountsIsNamed) {
  const Counter apples("apples");
  expect_end([&](Node& node) { return wait_for(node, &apples); }, {"apples at 0 of 1"});
}

TEST(EndlessRun, ANodeThatSendsToItselfForEverIsNamed) {
  expect_end(
      [](Node& node) {
        node.on(kHandler, [&node](const Packet&) { node.post(node.rank(), kHandler, {}); });
        if (node.rank() == 1) node.post(1, kHandler, {});
        return Program();
      },
      {"(1)"});
}

TEST(EndlessRun, PacketsThatCircleForEverAreNamed) {
  expect_end(
      [](Node& node) {
        const Rank next = (node.rank() + 1) % node.size();
        node.on(kHandler, [&node, next](const Packet&) { node.post(next, kHandler, {}); });
        if (node.rank() == 1) node.post(next, kHandler, {});
        return Program();
      },
      {"the run did not end", "the busiest nodes: ("});
}

Program go_on_for_ever(Node& node) {
  for (;;) co_await node.progress();
}

TEST(EndlessRun, AProgramThatGoesOnForEverIsNamed) {
  expect_end(go_on_for_ever, {"the run did not end", "the busiest nodes: ("});
}

Program go_on_slowly(Node& node) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    co_await node.progress();
  }
}

/// The process goes on, because every node returns from its turns.
TEST(EndlessRun, ASlowProgramThatGoesOnForEverFailsTheRunOnly) {
  SimMachine sim(Shape::parse("2"), {}, {.limit = std::chrono::milliseconds(100)});
  EXPECT_THAT(end_of(sim, go_on_slowly), ::testing::HasSubstr("the run did not end within 0.1 s"));
}

Program never_return(Node& node) {
  for (volatile unsigned i = 0;;) i = i + 1;
  co_await node.barrier();
}

/// A thread that does not return cannot be stopped, so the process ends.
TEST(EndlessRunDeathTest, AProgramThatNeverReturnsIsNamedAndEndsTheProcess) {
  constexpr std::chrono::seconds kLimit{1};  // the workers must have begun, on a busy machine too
  const Shape shape = Shape::parse("3");
  const auto program = [](Node& node) {
    return node.rank() == 1 ? never_return(node) : at_barrier(node);
  };
  const auto said =
      "the run did not end within 1 s; node \\(1\\) has not returned from its program";
  EXPECT_EXIT(
      {
        SimMachine sim(shape, {}, {.limit = kLimit});
        sim.run(program);
      },
      ::testing::ExitedWithCode(1), said);
  for (const RingRoute route : kRoutes)
    EXPECT_EXIT(
        {
          RingOptions options = routed(route);
          options.limit = kLimit;
          RingMachine rings(shape, 2, {}, options);
          rings.run(program);
        },
        ::testing::ExitedWithCode(1), said);
}

}  // namespace
}  // namespace toroid
