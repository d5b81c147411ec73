// Exchanges among ranks that share nodes: nothing is lost on any fabric, and no exchange is faster
// than its bound.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/counters.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::node_ranks {
namespace {

using testing::EmulatedMachine;

/// Runs the exchange and checks that everything has arrived once.
FabricCounters run(TrafficExchange& exchange, std::unique_ptr<Fabric> fabric) {
  EmulatedMachine machine(std::move(fabric), exchange.node_options());
  for (const Rank r : machine.ranks()) exchange.attach(machine.node(r));
  machine.fabric().run();
  EXPECT_TRUE(machine.finished());
  exchange.check();
  return machine.counters();
}

const Policy& random_policy() {
  const auto all = built_in_policies();
  return **std::ranges::find(all, "random", &Policy::name);
}

std::unique_ptr<Fabric> sim(const TrafficExchange& exchange, const Shape& shape,
                            unsigned threads = 1) {
  SimOptions options;
  options.tying = exchange.settings().tying;
  options.threads = threads;
  return make_sim_fabric(shape, Machine{}, options);
}

TEST(NodeRanksExchange, AllToAllLosesNothingUnderEveryPolicy) {
  const Shape shape = Shape::parse("4x4x2t");
  const auto traffic = make_traffic("all-to-all", shape, 500, 1);
  for (const Policy* policy : built_in_policies()) {
    SCOPED_TRACE(policy->name());
    TrafficExchange modelled(*policy, *traffic, shape, Machine{}, {.payload = true});
    const FabricCounters counters = run(modelled, sim(modelled, shape));
    EXPECT_EQ(counters.packets, counters.delivered);
    for (const RingRoute route : testing::kRoutes)
      for (const unsigned workers : {1u, 3u}) {
        TrafficExchange exchange(*policy, *traffic, shape, Machine{}, {.payload = true});
        RingOptions options = testing::routed(route);
        options.tying = exchange.settings().tying;
        run(exchange, testing::ring_fabric(shape, workers, options));
      }
  }
}

/// The all-to-all, permutations, and traffic with a hot rank, on shapes of all kinds.
TEST(NodeRanksExchange, NoTrafficIsFasterThanItsBound) {
  const Machine machine;
  const Policy& policy = random_policy();
  for (const char* torus : {"4x2t", "4x4x2t", "3x2x4t", "4mx3x2t", "1x4t", "2x2x2x2t"})
    for (const char* pattern : {"all-to-all", "uniform:3", "neighbour", "halo", "lines", "planes",
                                "bit-complement", "hotspot", "incast", "permutation", "zipf"})
      for (const std::uint64_t bytes : {24u, 2400u}) {
        SCOPED_TRACE(fmt::format("{} {} {}", torus, pattern, bytes));
        const Shape shape = Shape::parse(torus);
        const auto traffic = make_traffic(pattern, shape, bytes, 1);
        TrafficExchange exchange(policy, *traffic, shape, machine);
        run(exchange, sim(exchange, shape));
        const Tick time = exchange.last_arrival();
        EXPECT_LE(traffic_bounds(machine, shape, *traffic).max(), time);
        EXPECT_LE(traffic_bounds_of_any_ways(machine, shape, *traffic).max(), time);
        EXPECT_LE(quick_traffic_bounds(machine, shape, *traffic).max(), time);
        if (traffic->is_uniform_all_to_all()) {
          EXPECT_LE(all_to_all_bounds(machine, shape, message_cost(machine, bytes)).max(), time);
        }
      }
}

TEST(NodeRanksExchange, TimesDoNotDependOnTheNumberOfThreads) {
  const Shape shape = Shape::parse("4x3x4t");
  const auto traffic = make_traffic("all-to-all", shape, 1000, 1);
  std::vector<Tick> times;
  for (const unsigned threads : {1u, 2u, 5u}) {
    TrafficExchange exchange(random_policy(), *traffic, shape, Machine{});
    run(exchange, sim(exchange, shape, threads));
    times.push_back(exchange.last_arrival());
    EXPECT_EQ(times.back(), times.front());
  }
}

}  // namespace
}  // namespace toroid::node_ranks
