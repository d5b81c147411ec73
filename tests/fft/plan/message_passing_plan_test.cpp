// Plans over message passing compute the same bits as plans over active packets. Their copies and
// collective calls take the time that the machine says.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using testing::equal_bits;
using testing::kMethods;
using testing::noise_of;

Description over_messages(Description d) {
  d.layer = Layer::message_passing;
  d.overlap = {};
  return d;
}

template <typename In, typename Out>
void expect_equal_layers(const char* torus, const Description& d) {
  SCOPED_TRACE(fmt::format("{} on {}", testing::text_of(d), torus));
  const auto input = noise_of<In>(static_cast<std::size_t>(Box::of(in_extents(d)).volume()), 3);
  const auto packets = testing::simulate<In, Out>(torus, d, input);
  const auto messages = testing::simulate<In, Out>(torus, over_messages(d), input);
  EXPECT_TRUE(equal_bits(messages.result, packets.result));
  EXPECT_TRUE(equal_bits(messages.back, packets.back));
  for (const RingRoute route : testing::kRoutes) {
    const auto rings = testing::ring_fabric(Shape::parse(torus), 2, testing::routed(route));
    const auto run = testing::run_plan<In, Out>(*rings, over_messages(d), input);
    EXPECT_TRUE(equal_bits(run.result, packets.result));
    EXPECT_TRUE(equal_bits(run.back, packets.back));
  }
}

TEST(MessagePassingPlan, GivesTheSameBitsAsActivePacketsForEveryMethod) {
  for (const char* torus : {"1", "2", "3x2", "2x3x2", "7"})
    for (const Method method : kMethods) {
      if (method == Method::slab && Shape::parse(torus).size() > 7) continue;
      expect_equal_layers<Complex, Complex>(torus, {.size = {9, 8, 7}, .method = method});
    }
}

TEST(MessagePassingPlan, TakesRealDataBatchesAndReturnToInput) {
  for (const Method method : kMethods)
    expect_equal_layers<float, std::complex<float>>("2x3", {.size = {13, 9, 10},
                                                            .method = method,
                                                            .precision = Precision::single,
                                                            .real = true,
                                                            .batch = 2,
                                                            .return_to_input = true});
  expect_equal_layers<Complex, Complex>(
      "2x2", {.size = {8, 12, 16}, .method = Method::slab, .box_cut = 2});
}

TEST(MessagePassingPlan, FillsTheCallersArrayIfTheLastStageIsInPlace) {
  for (const Method method : kMethods)
    expect_equal_layers<Complex, Complex>(
        "2x2", {.size = {8, 9, 10}, .method = method, .may_leave_gaps = true});
}

Tick cycles_of(const Machine& machine) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), machine);
  const Description d =
      over_messages({.size = {8, 8, 8}, .method = Method::slab, .may_leave_gaps = false});
  const auto run = testing::run_plan<Complex, Complex>(*fabric, d, noise_of<Complex>(8 * 8 * 8, 1));
  return run.cycles;
}

TEST(MessagePassingPlan, CostsACallAndTwoCopiesPerExchange) {
  constexpr double kTurns = 4;  // tolerance, because a turn without work takes a cycle
  const Machine bare;
  const Tick before = cycles_of(bare);
  Machine calls = bare;
  calls.collective_cycles = 5000;
  EXPECT_NEAR(static_cast<double>(cycles_of(calls) - before), 2 * 5000, kTurns) << "once each way";
  Machine copies = bare;
  copies.copy_cycles_per_byte = 2;
  // Each way, all 256 numbers of a node are packed, and the received half is unpacked.
  EXPECT_NEAR(static_cast<double>(cycles_of(copies) - before), 2 * (256 + 128) * 16 * 2, kTurns);
}

TEST(MessagePassingPlan, RefusesPlanesAndTheOrbitalMethod) {
  const Shape torus = Shape::parse("2x2x2");
  const auto blueprint = [&](const Description& d) { return Blueprint(d, torus); };
  EXPECT_THROW(
      blueprint({.size = {8, 8, 8}, .method = Method::orbital, .layer = Layer::message_passing}),
      BadInput);
  EXPECT_THROW(blueprint({.size = {8, 8, 8},
                          .method = Method::slab,
                          .layer = Layer::message_passing,
                          .overlap = {.planes = 1}}),
               BadInput);
}

}  // namespace
}  // namespace toroid::fft
