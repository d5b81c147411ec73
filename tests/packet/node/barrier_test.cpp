// No node passes a barrier before all have entered it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::SimMachine;

struct Stamps {
  Tick entered;
  Tick passed;
};
using StampLog = std::vector<std::vector<Stamps>>;  ///< indexed by rank and round

/// Computes for a different time before each barrier.
Program pass_barriers(Node& node, unsigned rounds, std::uint64_t seed, StampLog* log) {
  Random random(seed, node.rank());
  for (unsigned round = 0; round < rounds; ++round) {
    const Tick cycles = random.coin() ? random.below(20000) : 0;
    co_await node.compute(cycles);
    const Tick entered = node.now();
    co_await node.barrier();
    (*log)[node.rank()].push_back({entered, node.now()});
  }
}

void expect_barriers_hold(const char* shape, unsigned rounds, std::uint64_t seed,
                          NodeOptions options = {}) {
  SimMachine machine(Shape::parse(shape), options);
  StampLog log(machine.size());
  machine.run([&](Node& node) { return pass_barriers(node, rounds, seed, &log); });
  for (unsigned round = 0; round < rounds; ++round) {
    Tick last_in = 0;
    Tick first_out = ~Tick{0};
    for (const auto& stamps : log) {
      ASSERT_EQ(stamps.size(), rounds) << shape;
      last_in = std::max(last_in, stamps[round].entered);
      first_out = std::min(first_out, stamps[round].passed);
    }
    EXPECT_LE(last_in, first_out) << shape << " round " << round << " seed " << seed;
  }
}

TEST(Barrier, LetsNobodyPassBeforeAllHaveEntered) {
  for (const char* shape : {"1", "2", "3", "5", "8", "4x4x4", "7x3m"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_barriers_hold(shape, 1, seed);
}

TEST(Barrier, CanBeUsedManyTimes) {
  for (const char* shape : {"1", "2", "3", "5", "8", "4x4x4"}) expect_barriers_hold(shape, 50, 3);
}

TEST(Barrier, HoldsWithOneShortQueueAndDeterministicRouting) {
  for (const char* shape : {"5", "3x3x3"})
    expect_barriers_hold(
        shape, 20, 4,
        {.settings = {
             .output_queues = 1, .queue_capacity = 1, .routing = RoutingRule::deterministic}});
}

TEST(Barrier, TakesCeilLog2RoundsOfOnePacketPerNode) {
  for (const auto& [shape, packets] : std::vector<std::pair<const char*, unsigned>>{
           {"1", 0}, {"2", 2 * 1}, {"3", 3 * 2}, {"5", 5 * 3}, {"8", 8 * 3}, {"3x3", 9 * 4}}) {
    SimMachine machine(Shape::parse(shape));
    StampLog log(machine.size());
    machine.run([&](Node& node) { return pass_barriers(node, 1, 1, &log); });
    EXPECT_EQ(machine.counters().packets, packets) << shape;
  }
}

}  // namespace
}  // namespace toroid
