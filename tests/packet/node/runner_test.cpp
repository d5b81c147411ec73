#include "packet/node/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "hal/flowchart_profile.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
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

}  // namespace
}  // namespace toroid
