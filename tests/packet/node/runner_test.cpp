#include "packet/node/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/window.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

/// Sends its rank to every other node and waits for their ranks; then node r computes 1000 r
/// cycles.
Program greet_all(Node& node) {
  Counter heard("greetings");
  node.on(kFirstUserHandler, [&](const Packet&) { heard.bump(); });
  for (Rank to = 0; to < node.size(); ++to)
    if (to != node.rank()) co_await node.send(to, kFirstUserHandler, node.rank());
  co_await node.until(heard, node.size() - 1);
  co_await node.compute(Tick{1000} * node.rank());
}

TEST(Runner, FindsANodeByItsRank) {
  const auto fabric = make_sim_fabric(Shape::parse("3x2"), Machine{});
  Runner runner(*fabric);
  EXPECT_EQ(runner.node(4).rank(), 4u);
  EXPECT_THAT([&] { runner.node(6); },
              ::testing::ThrowsMessage<BadInput>(
                  "node 6 is not one of the 6 nodes of this process, 0 to 5"));
}

TEST(Runner, RunsAProgramOnEveryNodeAndSumsTheirCounts) {
  const auto fabric = make_sim_fabric(Shape::parse("3x2x1"), Machine{});
  Runner runner(*fabric);
  ASSERT_EQ(runner.nodes().size(), 6u);
  runner.run(greet_all);
  EXPECT_EQ(fabric->counters().delivered, 6u * 5u);
  Tick last = 0;
  std::uint64_t packets = 0;
  for (Rank r = 0; r < 6; ++r) {
    const Node& node = runner.nodes()[r];
    EXPECT_EQ(node.rank(), r);
    EXPECT_TRUE(node.finished());
    last = std::max(last, node.finished_at());
    packets += node.profile().drain.packets;
  }
  EXPECT_EQ(runner.finished_at(), last);
  EXPECT_GE(last, 5000u);
  EXPECT_EQ(runner.profile().drain.packets, packets);
  EXPECT_EQ(packets, 6u * 5u);
}

TEST(Runner, GivesItsOptionsToEveryNode) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  const Runner runner(*fabric, {.seed = 7, .settings = {.output_queues = 3}});
  for (const Node& node : runner.nodes()) {
    EXPECT_EQ(node.options().seed, 7u);
    EXPECT_EQ(node.options().settings.output_queues, 3u);
  }
}

TEST(Runner, RunsProgramsThatNodesHaveAlready) {
  const auto fabric = make_sim_fabric(Shape::parse("2x2"), Machine{});
  Runner runner(*fabric);
  for (Node& node : runner.nodes()) node.run(greet_all(node));
  runner.run();
  EXPECT_EQ(fabric->counters().delivered, 4u * 3u);
}

TEST(Runner, RunsOnRings) {
  const auto fabric = testing::ring_fabric(Shape::parse("2x2"), 2);
  Runner runner(*fabric);
  runner.run(greet_all);
  EXPECT_EQ(runner.profile().drain.packets, 4u * 3u);
}

/// The words with which a call refuses its input.
std::string refused_with(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadInput& refused) {
    return refused.what();
  }
  return "accepted";
}

/// A fabric of each kind on 2 x 2 nodes.
std::vector<std::unique_ptr<Fabric>> fabrics() {
  std::vector<std::unique_ptr<Fabric>> all;
  const Shape shape = Shape::parse("2x2");
  all.push_back(make_sim_fabric(shape, Machine{}));
  for (const RingRoute route : testing::kRoutes)
    all.push_back(testing::ring_fabric(shape, 2, testing::routed(route)));
  return all;
}

TEST(Runner, RefusesAFabricThatHasARunner) {
  for (const auto& fabric : fabrics()) {
    const Runner runner(*fabric);
    EXPECT_THAT(
        refused_with([&] { const Runner second(*fabric); }),
        ::testing::HasSubstr("node (0,0) has a processor already; a fabric serves one Runner"));
  }
}

TEST(Runner, RefusesASecondRun) {
  for (const auto& fabric : fabrics()) {
    Runner runner(*fabric);
    runner.run(greet_all);
    EXPECT_THAT(refused_with([&] { runner.run(); }), ::testing::HasSubstr("has run already"));
    EXPECT_THAT(refused_with([&] { runner.run(greet_all); }),
                ::testing::HasSubstr("node (0,0) has had its first turn already"));
  }
}

TEST(Runner, RefusesToRunWhenItsFabricHasBeenDestroyed) {
  for (auto& fabric : fabrics()) {
    Runner runner(*fabric);
    std::vector<std::byte> memory(100);
    const Window window(runner.nodes()[0], memory);
    fabric.reset();
    EXPECT_THAT(refused_with([&] { runner.run(); }), ::testing::HasSubstr("was destroyed before"));
  }
}

TEST(Runner, LeavesItsFabricWithoutProcessors) {
  for (const auto& fabric : fabrics()) {
    { const Runner runner(*fabric); }
    EXPECT_THAT(refused_with([&] { fabric->run(); }),
                ::testing::HasSubstr("the Runner of the fabric has been destroyed"));
  }
}

TEST(Runner, MayBeDestroyedBeforeTheObjectsOfItsNodes) {
  for (const auto& fabric : fabrics()) {
    std::vector<std::byte> memory(100);
    std::optional<Window> window;
    Runner runner(*fabric);
    window.emplace(runner.nodes()[0], memory);
  }
}

TEST(Fabrics, RefuseANodeThatDoesNotExistAndARunWithoutProcessors) {
  for (const auto& fabric : fabrics()) {
    EXPECT_EQ(refused_with([&] { (void)fabric->device(4); }),
              "there is no node 4; the torus has nodes 0 to 3");
    EXPECT_EQ(refused_with([&] { fabric->run(); }),
              "node (0,0) has no processor; make a Runner on the fabric");
  }
}

TEST(Fabrics, RefuseAPlacementWithOtherNodes) {
  const Shape shape = Shape::parse("2x2");
  const auto refusal = [&](const std::function<void(std::vector<Rank>&)>& change) {
    Placement placement = testing::workers(shape, 2);
    change(placement.workers.back().nodes);
    return refused_with([&] { (void)make_ring_fabric(shape, Machine{}, placement); });
  };
  EXPECT_EQ(refusal([](std::vector<Rank>& nodes) { nodes.pop_back(); }),
            "the placement does not have node (1,1)");
  EXPECT_THAT(refusal([](std::vector<Rank>& nodes) { nodes.back() = 0; }),
              ::testing::HasSubstr("node (0,0) twice"));
  EXPECT_THAT(refusal([](std::vector<Rank>& nodes) { nodes.push_back(9); }),
              ::testing::HasSubstr("node 9"));
  EXPECT_THAT(refused_with([&] {
                (void)make_ring_fabric(Shape::parse("3"), Machine{}, testing::workers(shape, 2));
              }),
              ::testing::HasSubstr("node 3"));
}

}  // namespace
}  // namespace toroid
