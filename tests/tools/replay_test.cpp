// Replays of schedules: times equal those computed by hand, and every fabric delivers every message
// once.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/replay/critical_path.hpp"
#include "packet/replay/replay.hpp"
#include "packet/replay/schedule.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tools/files/goal_schedule.hpp"
#include "tools/files/schedule_file.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::RingMachine;
using testing::SimMachine;

constexpr HandlerId kReplay = kFirstUserHandler;

/// The result of a run.
struct Result {
  MessageTimes times;
  Tick end = 0;
  std::uint64_t packets = 0;
};

Result replay(EmulatedMachine& machine, const ScheduleGraph& graph, ReplayOptions options = {}) {
  Result result{MessageTimes(graph)};
  std::deque<Replay> replays;
  machine.run([&](Node& node) {
    return Replay::program(node, replays.emplace_back(node, kReplay, graph, result.times, options));
  });
  for (const Replay& one : replays) EXPECT_TRUE(one.done());
  for (Rank r = 0; r < machine.size(); ++r)
    result.end = std::max(result.end, machine.node(r).finished_at());
  result.packets = machine.counters().packets;
  return result;
}

Result replay_on_sim(const char* shape, const ScheduleGraph& graph, ReplayOptions options = {}) {
  SimMachine machine(Shape::parse(shape));
  return replay(machine, graph, options);
}

ScheduleGraph goal(const std::string& text) {
  return ScheduleGraph(parse_goal(text, "test", 64));
}

// Rank 0 computes for 1000 ns = 700 cycles. Injecting the packet takes 150 cycles, the hop of its
// head takes 69, each of its 270 bytes takes four, and receiving it takes 200. Then rank 1 computes
// for 70 cycles.
TEST(Replay, TakesTheTimeOfItsOperations) {
  const ScheduleGraph graph = goal(R"(num_ranks 2
rank 0 {
a: calc 1000
b: send 240b to 1 tag 9
b requires a
}
rank 1 {
a: recv 240b from 0 tag 9
b: calc 100
b requires a
}
)");
  const Result result = replay_on_sim("2", graph);
  EXPECT_EQ(result.end, 700u + 150 + 69 + 270 * 4 + 200 + 70);
  EXPECT_EQ(result.times.begun[0], 700u);
  EXPECT_EQ(result.times.ended[0], result.end - 70);
  EXPECT_EQ(critical_path(Machine(), Shape::parse("2"), graph), result.end);
}

TEST(Replay, WaitsForTimesInTheFile) {
  const ScheduleGraph graph(
      parse_message_csv("time,src,dst,bytes\n1e-3,0,1,1\n0,0,1,1\n2e-3,1,0,240\n", "test", 64));
  const Result result = replay_on_sim("2", graph);
  EXPECT_EQ(result.times.begun[0], 700000u);
  EXPECT_EQ(result.times.begun[1], 0u);
  EXPECT_EQ(result.times.begun[2], 1400000u);
  EXPECT_EQ(result.times.ended[1], 150u + 69 + 46 * 4 + 200);
  // The node's wake-up turn ends one cycle before the turn in which the packet leaves.
  EXPECT_EQ(result.times.ended[0], 700000u + 1 + result.times.ended[1]);
}

/// A chain of messages goes twice round a ring: each rank sends to the next rank after it has
/// received from the previous rank.
std::string ring_goal(Rank ranks, std::uint64_t bytes) {
  std::string text = fmt::format("num_ranks {}\n", ranks);
  for (Rank r = 0; r < ranks; ++r) {
    const Rank up = (r + 1) % ranks;
    const Rank down = (r + ranks - 1) % ranks;
    text += fmt::format("rank {} {{\nr1: recv {}b from {} tag 1\nr2: recv {}b from {} tag 1\n", r,
                        bytes, down, bytes, down);
    text +=
        fmt::format("s1: send {}b to {} tag 1\ns2: send {}b to {} tag 1\n", bytes, up, bytes, up);
    text += r == 0 ? "s2 requires r1\n}\n" : "s1 requires r1\ns2 requires r2\n}\n";
  }
  return text;
}

TEST(Replay, KeepsTheOrderOfDependentMessages) {
  const ScheduleGraph graph = goal(ring_goal(5, 1000));
  const Result result = replay_on_sim("5", graph);
  EXPECT_EQ(result.packets, 2u * 5 * 5);
  std::vector<Tick> ends = result.times.ended;
  std::vector<Tick> in_order;
  for (unsigned lap = 0; lap < 2; ++lap)
    for (Rank r = 0; r < 5; ++r) in_order.push_back(ends[2 * r + lap]);
  EXPECT_TRUE(std::ranges::is_sorted(in_order)) << ::testing::PrintToString(in_order);
  EXPECT_GE(result.end, critical_path(Machine(), Shape::parse("5"), graph));
}

/// Random messages of all lengths. Some go to their own rank, some depend on earlier ones.
Schedule random_schedule(Rank ranks, unsigned messages, std::uint64_t seed) {
  Schedule schedule{"random", std::vector<RankSchedule>(ranks)};
  Random random(seed);
  for (unsigned m = 0; m < messages; ++m) {
    const Rank from = random.below(ranks);
    const Rank to = random.below(ranks);
    const std::uint64_t bytes = random.below(4) == 0 ? 0 : random.below(3000);
    auto& sends = schedule.ranks[from].operations;
    sends.push_back({.kind = Operation::Kind::send, .peer = to, .tag = m % 3, .amount = bytes});
    if (sends.size() > 1 && random.coin()) {
      const auto last = static_cast<std::uint32_t>(sends.size() - 1);
      schedule.ranks[from].dependencies.push_back({last, random.below(last), random.coin()});
    }
    schedule.ranks[to].operations.push_back(
        {.kind = Operation::Kind::receive, .peer = from, .tag = m % 3, .amount = bytes});
  }
  return schedule;
}

std::uint64_t packets_on_the_torus(const ScheduleGraph& graph) {
  std::uint64_t packets = 0;
  for (const ScheduleMessage& m : graph.messages()) packets += m.from == m.to ? 0 : packets_of(m);
  return packets;
}

TEST(Replay, DeliversEveryMessageOnEveryFabric) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ScheduleGraph graph(random_schedule(11, 150, seed));
    const std::uint64_t packets = packets_on_the_torus(graph);
    for (const std::uint32_t per_visit : {1u, 3u, 32u}) {
      EXPECT_EQ(replay_on_sim("3x4", graph, {per_visit, false}).packets, packets);
      EXPECT_EQ(replay_on_sim("3x4", graph, {per_visit, true}).packets, packets);
    }
    for (const RingRoute route : testing::kRoutes) {
      RingMachine machine(Shape::parse("3x4"), 2, {}, testing::routed(route));
      EXPECT_EQ(replay(machine, graph, {32, true}).packets, packets);
    }
  }
}

TEST(Replay, IsDeterministic) {
  const ScheduleGraph graph(random_schedule(12, 200, 5));
  const Result a = replay_on_sim("3x4", graph);
  const Result b = replay_on_sim("3x4", graph);
  EXPECT_EQ(a.times.ended, b.times.ended);
  EXPECT_EQ(a.end, b.end);
}

TEST(Replay, EndsAtOnceWithoutOperations) {
  EXPECT_EQ(replay_on_sim("3", goal("num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n")).end, 0u);
}

/// Thousands of operations that take no time, each after the previous one.
TEST(Replay, LongChainsNeedNoDeepStack) {
  std::string text = "num_ranks 1\nrank 0 {\nl0: calc 0\n";
  for (unsigned i = 1; i < 20000; ++i)
    text += fmt::format("l{}: send 1b to 0\nm{}: recv 1b from 0\nl{} requires {}{}\n", i, i, i,
                        i == 1 ? 'l' : 'm', i - 1);
  EXPECT_EQ(replay_on_sim("2", goal(text + "}\n")).packets, 0u);
}

}  // namespace
}  // namespace toroid
