// Links and nodes that fail during a run on rings.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/shm/torus/failure_timeline.hpp"
#include "tests/router/end_of_run.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EndOfRun;
using testing::RingMachine;

EndOfRun run_to_the_end(const Shape& shape, std::uint64_t bytes, RoutingRule routing) {
  RingMachine machine(shape, 2, {.settings = {.output_queues = 6, .routing = routing}},
                      testing::routed(RingRoute::torus), testing::smallest_channels());
  return testing::exchange_on(machine, bytes);
}

TEST(FailureTimeline, DescribeTheMachineBeforeAndAfterEachFailure) {
  const Shape whole = Shape::parse("4x4");
  ring::FailureTimeline stages(
      whole.with_failures({{"(0,0)X+@500", "(1,1)Y+"}, {"(2,2)@300"}, false}));
  ASSERT_TRUE(stages.may_change());
  EXPECT_EQ(stages.now(), 0u);
  EXPECT_EQ(stages.next(), std::optional<Tick>(300));
  EXPECT_FALSE(stages.shape(0).failures()->works(5, Direction::plus(1)));
  EXPECT_TRUE(stages.shape(0).is_alive(10));
  stages.pass(299);
  EXPECT_EQ(stages.now(), 0u);
  stages.pass(300);
  EXPECT_EQ(stages.now(), 1u);
  EXPECT_FALSE(stages.shape(1).is_alive(10));
  EXPECT_TRUE(stages.shape(1).failures()->works(0, Direction::plus(0)));
  stages.pass(10'000);
  EXPECT_EQ(stages.next(), std::nullopt);
  EXPECT_FALSE(stages.shape(2).failures()->works(0, Direction::plus(0)));
  EXPECT_EQ(stages.deaths(), (std::vector<std::string>{"node (2,2) failed at cycle 300",
                                                       "(0,0)X+ failed at cycle 500"}));
  EXPECT_FALSE(ring::FailureTimeline(whole).may_change());
}

TEST(FailureTimeline, IgnoreRepeatedFailures) {
  ring::FailureTimeline stages(Shape::parse("4x4").with_failures(
      {{"(0,0)X+@5", "(0,0)X+@6", "(1,0)X-@7"}, {"(2,2)@8", "(2,2)@9"}, false}));
  stages.pass(100);
  EXPECT_EQ(stages.deaths(), (std::vector<std::string>{"(0,0)X+ failed at cycle 5",
                                                       "node (2,2) failed at cycle 8"}));
}

TEST(FailureTimeline, LoseNothingOnRingsIfADetourExists) {
  for (const RoutingRule routing : {RoutingRule::adaptive, RoutingRule::random_order})
    for (const Tick at : {2u, 1'000'000u, 3'000'000u}) {
      const FailureList list{{"(1,0,2)Y+@" + std::to_string(at)}, {}, true};
      const EndOfRun end =
          run_to_the_end(Shape::parse("3x4x3").with_failures(list), 2'400, routing);
      EXPECT_EQ(end.report, "") << at;
      EXPECT_EQ(end.counters.delivered, 36u * 35 * packets_for(2'400));
    }
}

TEST(FailureTimeline, LeaveEveryPacketOnRingsDeliveredOrCountedAsLost) {
  const std::uint64_t bytes = testing::is_thorough() ? 12'000 : 3'600;
  for (const RoutingRule routing : {RoutingRule::adaptive, RoutingRule::deterministic})
    for (const Tick at : {2u, 700'000u}) {
      const FailureList list{
          {"(0,0,0)X+@" + std::to_string(at)}, {"(1,1,1)@" + std::to_string(at + 500'000)}, false};
      const EndOfRun end =
          run_to_the_end(Shape::parse("3x4x3").with_failures(list), bytes, routing);
      EXPECT_EQ(end.counters.packets, end.counters.delivered + end.packets_lost());
      ASSERT_EQ(end.counters.deaths.size(), 2u);
      EXPECT_EQ(end.report.find("(0,0,0)X+ failed at cycle"), 0u) << end.report;
    }
}

}  // namespace
}  // namespace toroid
