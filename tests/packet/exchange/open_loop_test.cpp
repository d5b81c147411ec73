// Messages at a given rate, on an empty and on a full machine.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string_view>
#include <tuple>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/open_loop.hpp"
#include "packet/node/node.hpp"
#include "packet/traffic/patterns.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::kHandler;
using testing::SimMachine;

struct Loops {
  OpenLoopCounts counts;
  std::deque<OpenLoop> loops;
};

/// Every node sends at the same rate.
OpenLoopCounts run_open_loop(const char* torus, std::string_view pattern,
                             const OpenLoopOptions& options, std::uint64_t seed = 1) {
  const Shape shape = Shape::parse(torus);
  const auto traffic = make_traffic(pattern, shape, options.bytes, seed);
  SimMachine machine(shape, {.seed = seed});
  Loops all;
  for (Rank r = 0; r < shape.size(); ++r)
    all.loops.emplace_back(machine.node(r), kHandler, *traffic, options, all.counts);
  machine.run([&](Node& n) { return OpenLoop::program(n, all.loops[n.rank()]); });
  EXPECT_TRUE(machine.finished());
  EXPECT_EQ(all.counts.all_generated, all.counts.all_received);
  return all.counts;
}

constexpr OpenLoopPeriods kPeriods = {.warm_up = 100'000, .window = 1'000'000, .cool_down = 50'000};

TEST(OpenLoop, LatencyOnAnEmptyMachineMatchesTheFormula) {
  for (const ArrivalRule rule : {ArrivalRule::bernoulli, ArrivalRule::fixed})
    for (const unsigned bytes : {1u, 17u, 240u}) {
      const OpenLoopCounts counts =
          run_open_loop("6", "tornado",
                        {.bytes = bytes, .per_cycle = 1e-5, .arrivals = rule, .periods = kPeriods});
      const Tick wire = 4 * ((16 + bytes + 31) / 32 * 32 + 14);
      const Tick alone = 150 + 2 * 69 + wire + 200;
      ASSERT_GT(counts.latency.count(), 20u);
      for (const unsigned permille : {0u, 500u}) {  // within the histogram's resolution
        EXPECT_GE(counts.latency.permille(permille), alone);
        EXPECT_LE(counts.latency.permille(permille), alone + alone / 128);
      }
    }
}

TEST(OpenLoop, AcceptsTheOfferedLoadBelowSaturation) {
  // Every message crosses one of its node's four links and takes 1080 cycles, so links are busy for
  // about a quarter of the time.
  const OpenLoopOptions options{.per_cycle = 1e-3, .periods = kPeriods};
  const OpenLoopCounts counts = run_open_loop("4x4", "neighbour", options);
  const double offered = 1e-3 * 1e6 * 16;
  EXPECT_NEAR(static_cast<double>(counts.generated), offered, 0.03 * offered);
  EXPECT_NEAR(static_cast<double>(counts.accepted), static_cast<double>(counts.generated),
              0.005 * offered);
}

TEST(OpenLoop, AcceptsTheLinkRateAboveSaturation) {
  // All messages go two hops the same way, so every link carries two packets per message.
  const OpenLoopOptions options{.per_cycle = 1.0 / 1080, .periods = kPeriods};
  const OpenLoopCounts counts = run_open_loop("5", "tornado", options);
  const double most = 1e6 / (2 * 1080) * 5;
  EXPECT_LT(static_cast<double>(counts.accepted), most * 1.01);
  EXPECT_GT(static_cast<double>(counts.accepted), most * 0.9);
  EXPECT_GT(counts.latency.permille(500), 100'000u);  // messages wait in the node's memory
}

TEST(OpenLoop, CutsMessagesIntoPackets) {
  const OpenLoopOptions options{.bytes = 481, .per_cycle = 1e-5, .periods = kPeriods};
  const OpenLoopCounts counts = run_open_loop("2x2", "uniform", options);
  EXPECT_EQ(counts.all_generated % 3, 0u);
  EXPECT_GT(counts.all_generated, 60u);
}

TEST(OpenLoop, RepeatsForEqualSeedsAndDiffersForOthers) {
  const OpenLoopOptions options{.per_cycle = 5e-4, .periods = {.warm_up = 0, .window = 100'000}};
  const auto hash = [&](std::uint64_t seed) {
    const OpenLoopCounts c = run_open_loop("3x3", "uniform", options, seed);
    return std::tuple(c.generated, c.accepted, c.latency.max(), c.latency.permille(500));
  };
  EXPECT_EQ(hash(1), hash(1));
  EXPECT_NE(hash(1), hash(2));
}

TEST(OpenLoop, AtRateZeroSendsNothing) {
  const OpenLoopCounts counts =
      run_open_loop("3", "uniform", {.per_cycle = 0, .periods = kPeriods});
  EXPECT_EQ(counts.all_generated, 0u);
}

TEST(ArrivalTimes, KeepTheMeanRate) {
  for (const ArrivalRule rule : {ArrivalRule::bernoulli, ArrivalRule::fixed})
    for (const double per_cycle : {1.0, 0.5, 0.01}) {
      ArrivalTimes times(rule, per_cycle, Random(7));
      Tick last = 0;
      for (int i = 0; i < 20'000; ++i) {
        const Tick next = times.next();
        ASSERT_GE(next, last);
        last = next;
      }
      EXPECT_NEAR(static_cast<double>(last) * per_cycle, 20'000, 600);
    }
}

TEST(LatencyBuckets, GivePercentilesToTheirResolution) {
  FineLatencyHistogram fine;
  LatencyHistogram coarse;
  for (Tick t = 1; t <= 100'000; ++t) {
    fine.add(t);
    coarse.add(t);
  }
  for (const unsigned permille : {1u, 10u, 500u, 990u, 1000u}) {
    EXPECT_NEAR(static_cast<double>(fine.permille(permille)), 100 * permille, permille / 1.28);
    EXPECT_NEAR(static_cast<double>(coarse.permille(permille)), 100 * permille, permille * 12.5);
  }
  EXPECT_EQ(fine.max(), 100'000u);
  fine += fine;
  EXPECT_EQ(fine.count(), 200'000u);
}

TEST(LatencyBuckets, AreZeroWhenEmptyAndExactForOneValue) {
  FineLatencyHistogram latency;
  EXPECT_EQ(latency.permille(500), 0u);
  latency.add(123'457);
  EXPECT_EQ(latency.permille(0), 123'457u);
  EXPECT_EQ(latency.permille(1000), 123'457u);
  latency.add(Tick{1} << 40);
  EXPECT_EQ(latency.max(), 0xffffffffu);
}

}  // namespace
}  // namespace toroid
