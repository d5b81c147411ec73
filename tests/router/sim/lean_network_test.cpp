// Compares the fast model with the general model, which must give the same counts, link by link.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/lean/lean_network.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/sim/model_case.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::by_the_general_model;
using testing::ModelCase;
using testing::outcome;

bool is_served(const ModelCase& c) {
  return sim::LeanNetwork::serves(Shape::parse(c.shape), c.machine, c.sim.routing, nullptr);
}

void expect_equal(const ModelCase& c) {
  ASSERT_TRUE(is_served(c)) << c.shape;
  EXPECT_EQ(outcome(c), outcome(by_the_general_model(c))) << c.shape << ", " << c.bytes << " bytes";
}

template <typename T>
T one_of(Random& random, std::initializer_list<T> values) {
  return *(values.begin() + random.below(static_cast<std::uint32_t>(values.size())));
}

ModelCase random_case(std::uint64_t seed) {
  Random random(seed);
  ModelCase c{
      one_of<std::string>(random, {"1", "2", "7", "9m", "1x1x9", "2x2", "5x4", "3x4mx2", "8x4@YX4",
                                   "4x4x8@XZ4@YZ4", "4x4x4", "5x3x2", "2x2x7m"})};
  c.bytes = one_of<std::uint64_t>(random, {1, 8, 40, 70, 240, 241, 500, 961, 3000});
  c.node.seed = seed;
  PolicySettings& settings = c.node.settings;
  settings.output_queues = one_of(random, {1u, 1u, 2u, 5u});
  settings.routing = one_of(random, {RoutingRule::adaptive, RoutingRule::adaptive,
                                     RoutingRule::deterministic, RoutingRule::random_order});
  settings.tie = one_of(random, {TieRule::parity, TieRule::split, TieRule::balanced, TieRule::both,
                                 TieRule::alternate});
  settings.drain = one_of(random, {DrainRule::least_full, DrainRule::first_fit});
  if (random.coin()) settings.order = OrderRule::rank;
  c.sim.tying = one_of(random, {FifoTying::per_direction, FifoTying::any});
  c.sim.threads = one_of(random, {1u, 1u, 2u, 3u});
  if (random.below(3) == 0) c.machine = testing::smallest_buffers();
  c.machine.both_hints = 1;
  c.machine.arbitration_choice = random.below(2);
  c.machine.hop_latency_cycles = one_of(random, {1u, 69u, 400u});
  c.machine.inject_cycles = one_of(random, {150u, 150u, 1u, 0u});
  if (random.coin()) c.machine.dynamic_vc_chunks = one_of(random, {8u, 9u, 100u, 255u});
  if (random.coin()) {
    c.sim.routing.link_errors.rates = {{one_of(random, {0.0, 0.01, 0.3}), ""}};
    c.sim.routing.link_errors.burst = one_of(random, {1u, 3u});
    c.sim.routing.link_seed = seed;
  }
  if (random.coin()) c.machine.injection_fifo_chunks = one_of(random, {8u, 37u, 255u});
  return c;
}

TEST(LeanNetwork, EqualsTheGeneralModelOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= testing::by_set(80u, 200u); ++seed) {
    SCOPED_TRACE(seed);
    expect_equal(random_case(seed));
  }
}

/// 32 packets per buffer, of which four fit in a router's record.
TEST(LeanNetwork, EqualsTheGeneralModelWithBuffersFullOfShortPackets) {
  for (const char* shape : {"4x4", "4x4x4", "16"})
    expect_equal({shape, 8, {.packets_per_visit = 40}});
}

TEST(LeanNetwork, ReportsTheSameDeadlockAsTheGeneralModel) {
  const ModelCase c{"8x8",
                    240,
                    {.settings = {.output_queues = 6, .routing = RoutingRule::deterministic}},
                    {.routing = {.bubble_rule = false}},
                    testing::smallest_channels()};
  EXPECT_NE(outcome(c).second.find("the cycle of buffers:"), std::string::npos);
  expect_equal(c);
}

TEST(LeanNetwork, LeavesUnsupportedMachinesToTheGeneralModel) {
  EXPECT_FALSE(is_served({"2x2x2x2"}));
  ModelCase deep{"4x4"};
  deep.machine.dynamic_vc_chunks = 256;
  EXPECT_FALSE(is_served(deep));
  ModelCase many{"4x4x4"};
  many.machine.injection_fifos = 7;
  EXPECT_FALSE(is_served(many));
  ModelCase other_rule{"4x4"};
  other_rule.sim.routing.transit_first = false;
  EXPECT_FALSE(is_served(other_rule));
  EXPECT_FALSE(sim::LeanNetwork::serves(Shape::parse("4x4").with_failures({{"(0,0)X+"}, {}}), {},
                                        {}, nullptr));
}

/// A node holds 6 · (2 · 32 + 32 + 32) + (6 + 2) · 32 + (12 + 2) · 32 = 1472 chunks, i.e. 184
/// packets of full length. The fast model has numbers for 2^27 packets, enough for 2^27 / 184 =
/// 729,444 nodes.
TEST(LeanNetwork, LeavesMachinesWithTooManyPacketsToTheGeneralModel) {
  EXPECT_TRUE(is_served({"90x90x90"}));
  EXPECT_FALSE(is_served({"91x90x90"}));
  ModelCase smaller{"91x90x90"};
  smaller.machine = testing::smallest_buffers();  // 6 · (8 · 2 + 16 + 16) + 8 · 8 + 3 · 8 = 376
  EXPECT_TRUE(is_served(smaller));
  smaller.shape = "141x141x143";  // 2,842,983 nodes; 2^27 / 47 = 2,855,696
  EXPECT_TRUE(is_served(smaller));
  smaller.shape = "142x142x142";
  EXPECT_FALSE(is_served(smaller));
}

}  // namespace
}  // namespace toroid
