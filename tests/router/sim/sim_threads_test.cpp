// However many threads share the torus, every result is that of one.
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
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/everything.hpp"
#include "tests/router/failing_programs.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::Everything;
using testing::everything;
using testing::kHandler;
using testing::MachineExchange;
using testing::SimMachine;

constexpr unsigned kThreads[] = {2, 3, 4};

struct ThreadsCase {
  const char* shape;
  std::uint64_t bytes = 500;
  NodeOptions node = {};
  SimOptions sim = {};
  Machine machine = {};
};

/// What the run counts, or how it failed.
std::pair<Everything, std::string> run(const ThreadsCase& c, unsigned threads) {
  SimOptions options = c.sim;
  options.threads = threads;
  SimMachine machine(Shape::parse(c.shape), c.node, options, c.machine);
  MachineExchange exchange(machine, c.bytes);
  std::string failure;
  try {
    exchange.run();
  } catch (const RunFailed& failed) {
    return {{}, failed.what()};
  }
  return {everything(machine), ""};
}

void expect_equal(const ThreadsCase& c) {
  const auto one = run(c, 1);
  for (const unsigned threads : kThreads) EXPECT_EQ(run(c, threads), one) << c.shape;
}

TEST(SimThreads, ChangeNothingOnAnyShape) {
  for (const char* shape : {"1", "2", "3m", "7", "1x1x9", "2x2", "3x4mx2", "5x4", "4x4x4",
                            "2x1x3x2", "2x2x2x2x2", "1x2x1x2x1x3"}) {
    expect_equal({shape, 240});
    expect_equal({shape, 241, {.seed = 5, .settings = {.routing = RoutingRule::deterministic}}});
  }
}

TEST(SimThreads, ChangeNothingWithAnySwitchOfTheModel) {
  expect_equal({"4x3x2",
                700,
                {.settings = {.order = OrderRule::rank}},
                {.routing = {.transit_first = false}}});
  expect_equal({"4x3x2", 700, {.settings = {.output_queues = 4, .tie = TieRule::split}}, {}});
  expect_equal({"4x4", 961, {}, {.tying = FifoTying::any}});
}

/// Hardware whose times are as short, as long and as odd as they may be.
std::vector<Machine> odd_machines() {
  std::vector<Machine> machines(4, Machine());
  machines[0].hop_latency_cycles = 1;
  machines[1].hop_latency_cycles = 5000;  // longer than packets, and than the calendar's wheel
  machines[2].inject_cycles = machines[2].receive_cycles = 0;
  machines[3].link_bits_per_cycle = 1e5;  // a packet takes one cycle
  machines.push_back(testing::smallest_buffers());
  return machines;
}

TEST(SimThreads, ChangeNothingOnAnyMachine) {
  for (const Machine& machine : odd_machines())
    for (const char* shape : {"5", "3x4", "2x3x2"}) expect_equal({shape, 500, {}, {}, machine});
}

TEST(SimThreads, ReportTheSameDeadlock) {
  const ThreadsCase c{"8x8",
                      240,
                      {.settings = {.output_queues = 6, .routing = RoutingRule::deterministic}},
                      {.routing = {.bubble_rule = false}},
                      testing::smallest_channels()};
  EXPECT_NE(run(c, 1).second.find("the cycle:"), std::string::npos);
  expect_equal(c);
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

/// Fails in turn number `turns` on the nodes whose rank is 1 modulo 3, later on all others.
Program fail_in_turn(Node& node, unsigned turns) {
  testing::relay_for_ever(node);
  const unsigned last = node.rank() % 3 == 1 ? turns : 2 * turns;
  for (unsigned i = 0; i < last; ++i) co_await node.compute(1000);
  throw std::domain_error("in turn");
}

TEST(SimThreads, NameTheSameNodeWhereSeveralFail) {
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

TEST(SimThreads, AreNoMoreThanThereAreNodesAndOneWithAProbe) {
  SimProbe probe;
  EXPECT_EQ(sim_threads(Shape::parse("3"), {.threads = 8}), 3u);
  EXPECT_EQ(sim_threads(Shape::parse("3"), {.threads = 0}), 1u);
  EXPECT_EQ(sim_threads(Shape::parse("8"), {.probe = &probe, .threads = 8}), 1u);
}

}  // namespace
}  // namespace toroid
