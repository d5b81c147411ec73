// Links and nodes that fail during a run: every packet either arrives or is reported as lost.
#include <gtest/gtest.h>
#include <array>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/end_of_run.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EndOfRun;
using testing::Pairs;
using testing::SimMachine;

EndOfRun exchange(const Shape& shape, std::uint64_t bytes, NodeOptions node = {},
                  SimOptions sim = {}, const Machine& hardware = {}) {
  SimMachine machine(shape, node, std::move(sim), hardware);
  return testing::exchange_on(machine, bytes);
}

NodeOptions with(RoutingRule routing) {
  return {.settings = {.output_queues = 6, .routing = routing}};
}

std::string later(const std::string& place, Tick at) {
  return place + "@" + std::to_string(at);
}

auto key(const EndOfRun& ended) {
  std::vector<std::uint64_t> links;
  for (const LinkCounters& link : ended.counters.links) links.push_back(link.wire_bytes);
  return std::tuple(ended.report, ended.counters.end, ended.counters.delivered, ended.lost(),
                    ended.counters.deaths, links);
}

TEST(Death, OfALinkLosesThePairsWithoutAnotherShortestPath) {
  const Shape ring = Shape::parse("5").with_failures({{"(0)X+@2"}, {}, false});
  const EndOfRun ended = exchange(ring, 480);
  const Pairs expected = {{{0, 1}, 2}, {{0, 2}, 2}, {{4, 1}, 2},
                          {{1, 0}, 2}, {{2, 0}, 2}, {{1, 4}, 2}};
  EXPECT_EQ(ended.lost(), expected);
  EXPECT_NE(
      ended.report.find("(0)X+ failed at cycle 2; 12 packets cannot arrive: 2 from (0) to (1)"),
      std::string::npos)
      << ended.report;
}

/// The node fails in cycle 2. Its program has had its first turn, in cycle 0.
TEST(Death, OfANodeBeforeTheFirstPacketLosesPacketsToAndFromIt) {
  const Shape torus = Shape::parse("3x3").with_failures({{}, {"(1,1)@2"}, false});
  const EndOfRun ended = exchange(torus, 240);
  EXPECT_EQ(ended.counters.deaths, std::vector<std::string>{"node (1,1) failed at cycle 2"});
  Pairs to_it;
  Pairs others;
  for (const auto& [pair, packets] : ended.lost()) {
    if (pair.second == 4)
      to_it[pair] = packets;
    else if (pair.first != 4)
      others[pair] = packets;
  }
  EXPECT_EQ(others, Pairs{});
  EXPECT_EQ(to_it.size(), 8u);
  EXPECT_EQ(ended.counters.packets, ended.counters.delivered + ended.packets_lost());
  EXPECT_EQ(ended.counters.delivered, 8u * 7);
  EXPECT_EQ(ended.report.find("node (1,1) failed at cycle 2; "), 0u) << ended.report;
}

TEST(Death, OfALinkAtAnyTimeLosesNothingIfADetourExists) {
  unsigned turn = 0;  // the landing set runs a third of the cases
  for (const RoutingRule routing : {RoutingRule::adaptive, RoutingRule::random_order})
    for (Tick at = 2; at < 40'000; at = at * 5 / 3 + 7, ++turn)
      for (const char* link : {"(0,0,0)X+", "(1,2,1)Y-", "(2,3,2)Z+"}) {
        if (!testing::is_thorough() && turn++ % 3 != 0) continue;
        const FailureList list{{later(link, at)}, {}, true};
        const EndOfRun ended = exchange(Shape::parse("4x4x3").with_failures(list), 960,
                                        with(routing), {}, testing::smallest_channels());
        EXPECT_EQ(ended.report, "") << link << " at " << at;
        EXPECT_EQ(ended.counters.delivered, 48u * 47 * packets_for(960));
      }
}

TEST(Death, AtAnyTimeLeavesEveryPacketDeliveredOrReported) {
  const std::vector<std::pair<std::string, std::string>> failures = {
      {"(0,0,0)X+", ""}, {"", "(1,2,1)"}, {"(0,3,1)Y+", "(2,0,2)"}};
  constexpr std::array kRoutings = {RoutingRule::adaptive, RoutingRule::deterministic};
  constexpr std::array<Tick, 5> kTimes = {2, 150, 3'000, 20'000, 60'000};
  for (const auto& row :
       testing::combinations({failures.size(), kRoutings.size(), kTimes.size(), 2})) {
    const auto& [links, nodes] = failures[row[0]];
    const RoutingRule routing = kRoutings[row[1]];
    const Tick at = kTimes[row[2]];
    FailureList list;
    if (!links.empty()) list.links = {later(links, at)};
    if (!nodes.empty()) list.nodes = {later(nodes, at + 700)};
    const Shape shape = Shape::parse("4x4x3").with_failures(list);
    const EndOfRun ended = exchange(shape, 720, with(routing));
    EXPECT_EQ(ended.counters.packets, ended.counters.delivered + ended.packets_lost());
    EXPECT_EQ(ended.report.empty(), ended.counters.delivered == 48u * 47 * packets_for(720));
    const unsigned threads = row[3] == 0 ? 2 : 3;
    EXPECT_EQ(key(exchange(shape, 720, with(routing), {.threads = threads})), key(ended));
  }
}

/// By default, ties are drawn from the start if a link is to fail, so both runs go by parity.
TEST(Death, AfterTheEndChangesNothing) {
  const NodeOptions node{.settings = {.tie = TieRule::parity}};
  const EndOfRun whole = exchange(Shape::parse("4x3"), 240, node);
  const EndOfRun late =
      exchange(Shape::parse("4x3").with_failures({{"(0,0)X+@1000000000"}, {}, false}), 240, node);
  EXPECT_EQ(late.report, "");
  EXPECT_EQ(late.counters.deaths, std::vector<std::string>{});
  EXPECT_EQ(late.counters.end, whole.counters.end);
  EXPECT_EQ(late.counters.delivered, whole.counters.delivered);
}

TEST(Death, OfANodeLosesNothingDeliveredBefore) {
  const Shape shape = Shape::parse("4x4");
  const Tick end = exchange(shape, 240).counters.end;
  const EndOfRun ended =
      exchange(shape.with_failures({{}, {"(3,3)@" + std::to_string(end)}, false}), 240);
  EXPECT_EQ(ended.counters.lost.size(), 0u) << ended.report;
}

TEST(Death, OfAnUnfinishedNodeIsAlwaysReported) {
  const Shape shape = Shape::parse("5x3x2");
  for (Tick at = 100; at < 8'000; at += 300) {
    const EndOfRun ended = exchange(shape.with_failures({{}, {later("(1,1,1)", at)}, false}), 1);
    EXPECT_EQ(ended.counters.packets, ended.counters.delivered + ended.packets_lost());
    if (ended.counters.deaths.empty()) continue;
    EXPECT_EQ(ended.report.find("node (1,1,1) failed at cycle "), 0u) << at << ended.report;
  }
}

TEST(Death, OfALinkComesAfterMoreErrorsThanItsLimit) {
  RoutingOptions routing;
  routing.link_errors.rates = {{0, ""}, {0.2, "(0,0)X+"}};
  routing.link_errors.limit = 5;
  const Shape shape = Shape::parse("4x4").with_failures({{}, {}, true});
  const EndOfRun ended = exchange(shape, 24'000, {}, {.routing = routing});
  EXPECT_EQ(ended.report, "");
  ASSERT_EQ(ended.counters.deaths.size(), 1u);
  EXPECT_EQ(ended.counters.deaths.front().find("(0,0)X+ failed at cycle "), 0u);
  EXPECT_GT(ended.counters.link_errors.errors, 5u);
  EXPECT_EQ(ended.counters.link_errors.crc_mismatches, 0u);
  for (const unsigned threads : {2u, 4u})
    EXPECT_EQ(key(exchange(shape, 24'000, {}, {.routing = routing, .threads = threads})),
              key(ended));
  routing.link_errors.limit = 1'000'000;
  EXPECT_EQ(exchange(shape, 24'000, {}, {.routing = routing}).counters.deaths.size(), 0u);
}

TEST(Death, IsRefusedWithoutAValidCycle) {
  for (const char* text : {"(0)X+@", "(0)X+@0", "(0)X+@-1", "(0)X+@x", "(0)X+@5x", "(0)@5",
                           "(0)X+@5000000000000000000"})
    EXPECT_THROW(Shape::parse("5").with_failures({{text}, {}, false}), BadInput) << text;
}

TEST(Death, DoesNotChangeTheShapeOfTheCaller) {
  const Shape shape = Shape::parse("4").with_failures({{"(0)X+@5"}, {}, false});
  EXPECT_TRUE(shape.failures()->may_change());
  EXPECT_TRUE(shape.failures()->works(0, Direction::plus(0)));
  exchange(shape, 240);
  EXPECT_TRUE(shape.failures()->works(0, Direction::plus(0)));
}

}  // namespace
}  // namespace toroid
