// With any number of threads, every result equals that of one thread.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failing_programs.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/router/shm/affinity.hpp"
#include "tests/router/sim/model_case.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::ModelCase;
using testing::outcome;
using testing::SimMachine;
using testing::with_threads;

constexpr unsigned kThreads[] = {2, 3, 4};
constexpr unsigned kMostThreads = 7;  ///< more than small computers have cores

void expect_as_with_one(const ModelCase& c) {
  const auto one = outcome(with_threads(c, 1));
  for (const unsigned threads : kThreads)
    EXPECT_EQ(outcome(with_threads(c, threads)), one) << c.shape;
}

TEST(SimThreads, ChangeNothingOnAnyShape) {
  for (const char* shape : {"1", "2", "3m", "7", "1x1x9", "2x2", "3x4mx2", "5x4", "4x4x4",
                            "2x1x3x2", "2x2x2x2x2", "1x2x1x2x1x3"}) {
    expect_as_with_one({shape, 240});
    expect_as_with_one(
        {shape, 241, {.seed = 5, .settings = {.routing = RoutingRule::deterministic}}});
  }
}

TEST(SimThreads, ChangeNothingUnderOtherSettingsOfNodesAndRouters) {
  expect_as_with_one({"4x3x2",
                      700,
                      {.settings = {.order = OrderRule::rank}},
                      {.routing = {.transit_first = false}}});
  expect_as_with_one({"4x3x2", 700, {.settings = {.output_queues = 4, .tie = TieRule::split}}, {}});
  expect_as_with_one({"4x4", 961, {}, {.tying = FifoTying::any}});
}

/// A twisted torus, or a random shape of one to four dimensions, each a ring or a line.
std::string random_shape(Random& random) {
  static constexpr const char* kTwisted[] = {"8x4@YX4", "4x4x8@XZ4@YZ4", "6x3@YX3"};
  if (random.below(5) == 0) return kTwisted[random.below(3)];
  std::string text;
  const unsigned dims = 1 + random.below(4);
  for (unsigned d = 0; d < dims; ++d)
    text += (d == 0 ? "" : "x") + std::to_string(1 + random.below(dims < 3 ? 7 : 4)) +
            (random.below(4) == 0 ? "m" : "");
  return text;
}

ModelCase random_threads_case(Random& random, std::uint64_t seed) {
  ModelCase c{random_shape(random)};
  c.bytes = random.coin() ? 240 : 1 + random.below(700);
  c.node.seed = seed;
  if (random.coin()) c.node.settings.routing = RoutingRule::deterministic;
  c.sim.routing.general = random.coin();
  if (random.below(3) == 0) c.machine = testing::smallest_buffers();
  if (random.below(3) == 0) c.machine.hop_latency_cycles = 1 + random.below(400);
  return c;
}

TEST(SimThreads, ChangeNothingOnRandomShapes) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(12u, 25u); ++seed) {
    Random random(seed);
    const ModelCase c = random_threads_case(random, seed);
    const auto one = outcome(with_threads(c, 1));
    for (unsigned threads = 2; threads <= kMostThreads; ++threads)
      ASSERT_EQ(outcome(with_threads(c, threads)), one)
          << c.shape << ", seed " << seed << ", " << threads;
  }
}

/// Threads that seldom run at the same time run each other's blocks.
TEST(SimThreads, ChangeNothingIfAllShareACore) {
  testing::in_a_thread([] {
    ASSERT_TRUE(testing::set_affinity({testing::affinity().front()}));
    for (const char* shape : {"7", "4x4x4", "3x4mx2"}) {
      const auto one = outcome(with_threads({shape, 500}, 1));
      for (unsigned threads = 2; threads <= kMostThreads; ++threads)
        EXPECT_EQ(outcome(with_threads({shape, 500}, threads)), one) << shape << ", " << threads;
    }
  });
}

/// Machines whose hardware has very short or very long times, or the smallest buffers.
std::vector<Machine> odd_machines() {
  std::vector<Machine> machines(4, Machine());
  machines[0].hop_latency_cycles = 1;
  machines[1].hop_latency_cycles = 5000;  // longer than packets and than the calendar's wheel
  machines[2].inject_cycles = machines[2].receive_cycles = 0;
  machines[3].link_bits_per_cycle = 1e5;  // a packet takes one cycle
  machines.push_back(testing::smallest_buffers());
  return machines;
}

TEST(SimThreads, ChangeNothingOnAnyMachine) {
  for (const Machine& machine : odd_machines())
    for (const char* shape : {"5", "3x4", "2x3x2", "4x4x4"})
      expect_as_with_one({shape, 500, {}, {}, machine});
}

TEST(SimThreads, ReportTheSameDeadlock) {
  for (const bool general : {false, true}) {
    const ModelCase c{"8x8",
                      240,
                      {.settings = {.output_queues = 6, .routing = RoutingRule::deterministic}},
                      {.routing = {.bubble_rule = false, .general = general}},
                      testing::smallest_channels()};
    const auto one = outcome(with_threads(c, 1));
    EXPECT_NE(one.second.find("the cycle of buffers:"), std::string::npos);
    for (unsigned threads = 2; threads <= kMostThreads; ++threads)
      EXPECT_EQ(outcome(with_threads(c, threads)), one) << threads;
  }
}

/// After a while, the nodes of odd rank wait for packets that never come.
Program wait_in_vain(Node& node) {
  Counter never("missing packets");
  co_await node.compute(100'000 * node.rank());
  if (node.rank() % 2 == 1) co_await node.until(never, 3);
}

TEST(SimThreads, ReportTheSameWaitingPrograms) {
  const auto report = [](unsigned threads) {
    SimMachine machine(Shape::parse("3x3"), {}, {.threads = threads});
    return testing::failure_of([&] { machine.run(wait_in_vain); });
  };
  EXPECT_NE(report(1).find("missing packets"), std::string::npos);
  for (unsigned threads = 2; threads <= kMostThreads; ++threads)
    EXPECT_EQ(report(threads), report(1));
}

TEST(SimThreads, CarryPayloads) {
  for (const unsigned threads : kThreads) {
    SimMachine machine(Shape::parse("3x2x3"), {}, {.threads = threads});
    const auto make = [](Node& node) {
      auto blocks = std::make_unique<BlockMessages>(node.shape(), node.rank(), 301);
      for (Rank to = 0; to < node.size(); ++to)
        for (std::byte& b : blocks->to(to)) b = static_cast<std::byte>(node.rank() * 18 + to);
      return blocks;
    };
    MachineExchange exchange(machine, make);
    exchange.run();
    for (Rank to = 0; to < machine.size(); ++to)
      for (Rank from = 0; from < machine.size(); ++from)
        for (const std::byte b : static_cast<BlockMessages&>(exchange.messages(to)).from(from))
          ASSERT_EQ(b, static_cast<std::byte>(from == to ? 0 : from * 18 + to));
  }
}

/// Fails in turn number `turns` on the nodes whose rank is 1 modulo 3, and later on all others.
Program fail_in_turn(Node& node, unsigned turns) {
  testing::relay_for_ever(node);
  const unsigned last = node.rank() % 3 == 1 ? turns : 2 * turns;
  for (unsigned i = 0; i < last; ++i) co_await node.compute(1000);
  throw std::domain_error("in turn");
}

TEST(SimThreads, NameTheSameNodeIfSeveralFail) {
  for (const unsigned threads : {1u, 2u, 3u, 4u, 9u}) {
    SimMachine machine(Shape::parse("3x3"), {}, {.threads = threads});
    try {
      machine.run([](Node& node) { return fail_in_turn(node, 20); });
      FAIL() << "nothing was thrown";
    } catch (const RunFailed& failed) {
      EXPECT_EQ(std::string(failed.what()), "node (0,1): in turn") << threads;
    }
  }
}

/// Computes and sends at random, and fails at a random time; one node in three runs for ever.
Program fail_at_random(Node& node, std::uint64_t seed) {
  Random random(seed, node.rank());
  testing::relay_for_ever(node);
  // Either several nodes fail in the same cycle, or some of them much later than others.
  const Tick longest = random.coin() ? 300 : 30'000;
  for (unsigned left = 1 + random.below(20); left > 0; --left) {
    co_await node.compute(random.below(static_cast<std::uint32_t>(longest)));
    co_await node.send(random.below(node.size()), testing::kRelay, 0);
  }
  if (random.below(3) != 0) throw std::domain_error("at random");
}

TEST(SimThreads, ReportTheSameRandomFailure) {
  const auto report = [](std::uint64_t seed, bool general, unsigned threads) {
    SimMachine machine(Shape::parse("3x4m"), {},
                       {.routing = {.general = general}, .threads = threads});
    return testing::failure_of(
        [&] { machine.run([&](Node& node) { return fail_at_random(node, seed); }); });
  };
  for (std::uint64_t seed = 1; seed <= testing::scaled(20u); ++seed)
    for (unsigned threads = 2; threads <= kMostThreads; ++threads)
      EXPECT_EQ(report(seed, seed % 2 == 0, threads), report(seed, seed % 2 == 0, 1)) << seed;
}

TEST(SimThreads, ReportAFailureInAnyBlock) {
  for (Rank who = 0; who < 6; ++who)
    for (unsigned threads = 1; threads <= kMostThreads; ++threads) {
      SimMachine machine(Shape::parse("6"), {}, {.threads = threads});
      const std::string text = testing::failure_of([&] {
        machine.run([&](Node& node) { return testing::fail_in_the_program(node, who); });
      });
      EXPECT_EQ(text, "node (" + std::to_string(who) + "): in a program") << threads;
    }
}

/// Node `who` fails while the other nodes are far from their next event.
Program fail_alone(Node& node, Rank who) {
  co_await node.compute(node.rank() == who ? 1'000'000 : 3'000'000);
  if (node.rank() == who) throw std::domain_error("alone");
}

TEST(SimThreads, ReportAFailureWhileOthersAreIdle) {
  for (const Rank who : {0u, 3u, 5u})
    for (const unsigned threads : {1u, 2u, 6u}) {
      SimMachine machine(Shape::parse("6m"), {}, {.threads = threads});
      const std::string text = testing::failure_of(
          [&] { machine.run([&](Node& node) { return fail_alone(node, who); }); });
      EXPECT_EQ(text, "node (" + std::to_string(who) + "): alone") << threads;
    }
}

TEST(SimThreads, EndWhenProgressThrows) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    unsigned calls = 0;
    const auto progress = [&calls](const SimProgress&) {
      ++calls;
      throw RunFailed("interrupted");
    };
    SimMachine machine(Shape::parse("4"), {}, {.progress = progress, .threads = threads});
    EXPECT_THROW(machine.run([](Node& node) { return testing::fail_in_the_program(node, 4); }),
                 RunFailed);
    EXPECT_EQ(calls, 1u);
  }
}

TEST(SimThreads, AreAtMostOnePerNodeAndOneWithAProbe) {
  SimProbe probe;
  EXPECT_EQ(sim_threads(Shape::parse("3"), {.threads = 8}), 3u);
  EXPECT_EQ(sim_threads(Shape::parse("3"), {.threads = 0}), 1u);
  EXPECT_EQ(sim_threads(Shape::parse("8"), {.probe = &probe, .threads = 8}), 1u);
}

}  // namespace
}  // namespace toroid
