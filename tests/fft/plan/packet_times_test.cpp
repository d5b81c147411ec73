// A plan's times include the time spent on packets. They do so on every fabric, and only if the
// description asks for it.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using SlabRun = testing::PlanRun<Complex, Complex>;

Description measured(std::int64_t planes, bool times_packets = true) {
  return {.size = {16, 12, 16},
          .method = Method::slab,
          .overlap = {.planes = planes, .test_interval = 7},
          .times_packets = times_packets};
}

SlabRun run_on(Fabric& fabric, const Description& d,
               TransferMode transfer = TransferMode::automatic) {
  const auto input = testing::noise_of<Complex>(16 * 12 * 16, 3);
  return testing::run_plan<Complex, Complex>(fabric, d, input, {.transfer = transfer});
}

/// Checks that each part of the first node's time is positive, and that their sum does not exceed
/// the whole time.
void expect_parts_of_the_whole(const SlabRun& run) {
  Tick computing = 0, packing = 0, unpacking = 0;
  for (const StageTimes& stage : run.times) {
    computing += stage.computing;
    packing += stage.packing;
    unpacking += stage.unpacking;
  }
  EXPECT_GT(computing, 0u);
  EXPECT_GT(packing, 0u);
  EXPECT_GT(unpacking, 0u);
  EXPECT_LE(computing + packing + unpacking, run.times.back().computed - run.times[0].begin);
}

TEST(PacketTimes, AreMeasuredInVirtualTime) {
  for (const std::int64_t planes : {0, 1, 2}) {
    const auto fabric = make_sim_fabric(Shape::parse("4"), Machine{});
    expect_parts_of_the_whole(run_on(*fabric, measured(planes)));
  }
}

TEST(PacketTimes, AreMeasuredInRealTimeForEveryTransfer) {
  for (const std::int64_t planes : {0, 1, 2})
    for (const unsigned threads : {1u, 2u})
      for (const RingRoute route : testing::kRoutes)
        for (const TransferMode transfer : {TransferMode::automatic, TransferMode::packets}) {
          SCOPED_TRACE(planes);
          const auto fabric =
              testing::ring_fabric(Shape::parse("4"), threads, testing::routed(route));
          expect_parts_of_the_whole(run_on(*fabric, measured(planes), transfer));
        }
}

TEST(PacketTimes, ChangeNothingInVirtualTime) {
  const auto with = make_sim_fabric(Shape::parse("4"), Machine{});
  const auto without = make_sim_fabric(Shape::parse("4"), Machine{});
  const SlabRun measuring = run_on(*with, measured(2));
  const SlabRun plain = run_on(*without, measured(2, false));
  EXPECT_EQ(measuring.cycles, plain.cycles);
  EXPECT_EQ(measuring.result, plain.result);
}

TEST(PacketTimes, AreNotMeasuredUnlessAskedFor) {
  const auto rings = testing::ring_fabric(Shape::parse("4"), 2);
  for (const StageTimes& stage : run_on(*rings, measured(2, false)).times) {
    EXPECT_EQ(stage.packing, 0u);
    EXPECT_EQ(stage.unpacking, 0u);
  }
}

// On the model, injecting takes the same time for every packet, and so does receiving.
TEST(PacketTimes, EqualTheCostsOfTheModelsPackets) {
  const Machine machine;
  const auto fabric = make_sim_fabric(Shape::parse("2"), machine);
  const SlabRun run = run_on(*fabric, measured(0));
  Tick packing = 0, unpacking = 0;
  for (const StageTimes& stage : run.times) {
    packing += stage.packing;
    unpacking += stage.unpacking;
  }
  EXPECT_EQ(packing % machine.inject_cycles, 0u);
  EXPECT_EQ(unpacking % machine.receive_cycles, 0u);
  EXPECT_EQ(packing / machine.inject_cycles, unpacking / machine.receive_cycles);
}

}  // namespace
}  // namespace toroid::fft
