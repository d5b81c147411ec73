// Rings of tiny buffers without the bubble rule: they fill up, and the run ends with a report of
// the cycle. With one worker every run is the same. With more, timing decides whether the rings
// fill up, so several seeds are tried; on these tori the first seed has always sufficed. A torus of
// a single ring, or adaptive packets, hardly ever fill them up if packets in transit go first.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/rules/buffer_cycle.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::RingMachine;

/// The error message of an all-to-all run; empty if it completed.
std::string report(const Shape& shape, unsigned threads, RoutingRule routing, std::uint64_t bytes,
                   std::uint64_t seed, bool bubble_rule, bool transit_first = true) {
  RingOptions options;
  options.routing.bubble_rule = bubble_rule;
  options.routing.transit_first = transit_first;
  options.stall = std::chrono::milliseconds(300);
  const NodeOptions node{.seed = seed, .settings = {.output_queues = 6, .routing = routing}};
  RingMachine machine(shape, threads, node, options, testing::smallest_channels());
  MachineExchange exchange(machine, bytes);
  try {
    exchange.run();
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  EXPECT_TRUE(machine.finished());
  return {};
}

/// The report of the first seed that deadlocks.
std::string report_of_a_deadlock(const Shape& shape, unsigned threads, RoutingRule routing) {
  const bool transit_first = routing != RoutingRule::adaptive;
  std::string text;
  for (std::uint64_t seed = 1; seed <= 10 && text.empty(); ++seed)
    text = report(shape, threads, routing, 4800, seed, false, transit_first);
  return text;
}

void expect_deadlock(const char* shape, unsigned threads, RoutingRule routing) {
  SCOPED_TRACE(fmt::format("{} {} workers", shape, threads));
  const std::string text = report_of_a_deadlock(Shape::parse(shape), threads, routing);
  ASSERT_NE(text, "") << "ten runs completed without the bubble rule";
  EXPECT_EQ(text.find("deadlock for 0.3 s: "), 0u) << text;
  EXPECT_NE(text.find(" packets are in flight and none can move"), std::string::npos) << text;
  EXPECT_NE(text.find("nodes wait; node ("), std::string::npos) << text;
  testing::expect_cycle(Shape::parse(shape), text);
}

TEST(RingDeadlock, WithoutTheBubbleRuleIsReportedWithItsCycle) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    expect_deadlock("5x5x5", threads, RoutingRule::deterministic);
    expect_deadlock("8x8", threads, RoutingRule::deterministic);
  }
  expect_deadlock("8x8", 2, RoutingRule::adaptive);
}

TEST(RingDeadlock, NeverHappensWithTheBubbleRule) {
  for (const auto& row :
       testing::combinations({testing::kWorkers.size(), testing::kRoutings.size(), 2})) {
    const unsigned threads = testing::kWorkers[row[0]];
    const Shape shape = Shape::parse(row[2] == 0 ? "8" : "8x8");
    EXPECT_EQ(report(shape, threads, testing::kRoutings[row[1]], 961, threads, true), "");
  }
}

TEST(RingDeadlock, NeverHappensOnAMeshEvenWithoutTheRule) {
  for (const unsigned threads : testing::kWorkers)
    for (const auto routing : testing::kRoutings)
      EXPECT_EQ(report(Shape::parse("5mx4m"), threads, routing, 961, 1, false), "");
}

}  // namespace
}  // namespace toroid
