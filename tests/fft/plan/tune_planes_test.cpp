// Tuning of the number of planes per exchange: which numbers are tried, and which one is found to
// be the fastest, whatever measures the times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "fft/execute/call_time.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/tune_planes.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using ::testing::ElementsAre;

Description cube(std::int64_t n) {
  return {.size = {n, n, n}, .method = Method::slab};
}

TEST(TunePlanes, TriesTheDivisorsOfANodesPlanes) {
  EXPECT_THAT(planes_to_try(cube(24), Shape::parse("4"), Way::forward), ElementsAre(1, 2, 3, 6));
  EXPECT_THAT(planes_to_try(cube(16), Shape::parse("2"), Way::backward), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(planes_to_try(cube(13), Shape::parse("1"), Way::forward), ElementsAre(1));
  EXPECT_THAT(planes_to_try(cube(24), Shape::parse("2"), Way::forward, 12),
              ElementsAre(1, 2, 3, 4, 6, 12));
}

std::vector<std::int64_t> tried(const TunedPlanes& tuned) {
  std::vector<std::int64_t> planes;
  for (const PlanesTrial& trial : tuned.trials) planes.push_back(trial.planes);
  return planes;
}

TEST(TunePlanes, FindsTheLeastTimeThenTheFewestPlanes) {
  const auto time_of = [](std::shared_ptr<const Blueprint> blueprint) {
    const std::int64_t planes = planes_used(*blueprint, Way::forward);
    return planes == 2 || planes == 3 ? 1.0 : 2.0;
  };
  const Shape shape = Shape::parse("4");
  const TunedPlanes tuned = tune_planes(cube(24), shape, Way::forward, Blocking::too, time_of);
  EXPECT_EQ(tuned.planes, 2);
  EXPECT_THAT(tried(tuned), ElementsAre(0, 1, 2, 3, 6));
  EXPECT_THAT(
      tried(tune_planes(cube(24), shape, Way::forward, Blocking::only_if_nothing_else, time_of)),
      ElementsAre(1, 2, 3, 6));
}

TEST(TunePlanes, TunesOneDirectionAndKeepsTheOther) {
  Description d = cube(24);
  d.overlap.planes = 3;
  const auto time_of = [](std::shared_ptr<const Blueprint> blueprint) {
    EXPECT_EQ(planes_used(*blueprint, Way::forward), 3);
    return -static_cast<double>(planes_used(*blueprint, Way::backward));
  };
  EXPECT_EQ(tune_planes(d, Shape::parse("4"), Way::backward, Blocking::too, time_of).planes, 6);
}

Tick cycles_of(const Description& d, Way way, const Machine& machine = {}) {
  const Shape shape = Shape::parse("4");
  const auto fabric = make_sim_fabric(shape, machine);
  return call_time(*fabric, {}, std::make_shared<const Blueprint>(d, shape), way, 1);
}

TEST(TunePlanes, FindsTheFastestOnTheModel) {
  const Shape shape = Shape::parse("4");
  for (const Way way : {Way::forward, Way::backward}) {
    Description d = cube(16);
    d.overlap.test_interval = 1;
    const TunedPlanes tuned =
        tune_planes(d, shape, way, Blocking::too, [&](std::shared_ptr<const Blueprint> blueprint) {
          return static_cast<double>(cycles_of(blueprint->description(), way));
        });
    d.overlap.set_planes(way, tuned.planes);
    const Tick best = cycles_of(d, way);
    for (const std::int64_t planes : {0, 1, 2, 4}) {
      d.overlap.set_planes(way, planes);
      EXPECT_LE(best, cycles_of(d, way)) << planes;
    }
  }
}

/// The two runs begin the transform at different times and after different packets. So they need a
/// machine whose links draw no lots and whose ties take no turns.
TEST(CallTime, IsAtLeastTheTimeOfOneNodeInVirtualTime) {
  const Description d = cube(16);
  Machine machine;
  machine.tie_choice = static_cast<unsigned>(TieRule::parity);
  machine.arbitration_choice = 0;
  const auto fabric = make_sim_fabric(Shape::parse("4"), machine);
  const auto run =
      testing::run_plan<Complex, Complex>(*fabric, d, testing::noise_of<Complex>(16 * 16 * 16, 3));
  EXPECT_GE(cycles_of(d, Way::forward, machine),
            run.times.back().computed - run.times.front().begin);
}

TEST(CallTime, TakesEveryTypeOfDataOnRings) {
  const Shape shape = Shape::parse("2");
  for (const bool real : {false, true})
    for (const Precision precision : {Precision::single, Precision::double_})
      for (const Way way : {Way::forward, Way::backward}) {
        Description d = cube(8);
        d.real = real;
        d.precision = precision;
        d.batch = 2;
        const auto fabric = testing::ring_fabric(shape, 2);
        EXPECT_GT(call_time(*fabric, {}, std::make_shared<const Blueprint>(d, shape), way, 3), 0u);
      }
}

TEST(Overlap, MayHaveDifferentNumbersOfPlanesPerDirection) {
  const auto pieces = [](const Overlap& overlap, Way way) {
    Description d = cube(24);
    d.overlap = overlap;
    return planes_used(Blueprint(d, Shape::parse("4")), way);
  };
  const Overlap both{.planes = 2};
  EXPECT_EQ(pieces(both, Way::forward), 2);
  EXPECT_EQ(pieces(both, Way::backward), 2);
  const Overlap own{.planes = 2, .backward_planes = 0};
  EXPECT_EQ(pieces(own, Way::forward), 2);
  EXPECT_EQ(pieces(own, Way::backward), 0);
  Overlap changed{.planes = 2};
  changed.set_planes(Way::forward, 3);
  EXPECT_EQ(pieces(changed, Way::forward), 3);
  EXPECT_EQ(pieces(changed, Way::backward), 2);
}

TEST(TunePlanes, RefusesNumbersBelowOneAndAnEmptyFunction) {
  const Shape shape = Shape::parse("4");
  const TimeOf one = [](const auto&) { return 1.0; };
  const auto tune = [&](const Description& d, const TimeOf& time_of, std::int64_t most) {
    return testing::refusal(
        [&] { tune_planes(d, shape, Way::forward, Blocking::too, time_of, most); });
  };
  EXPECT_EQ(tune(cube(8), one, 1), "nothing was refused");
  EXPECT_EQ(tune(cube(8), one, 0), "at most 0 planes to try; expected 1 or more");
  EXPECT_EQ(tune(cube(8), {}, 1), "time_of is empty; expected a function that times a plan");
  EXPECT_EQ(tune({.size = {1, 1, 1, 1, 1, 1, 1}}, one, 1), "an array has 1 to 6 axes, not 7");
  EXPECT_EQ(testing::refusal([&] { planes_to_try(cube(8), shape, static_cast<Way>(2)); }),
            "way is the number 2; expected forward, backward");
}

TEST(CallTime, RefusesZeroRoundsAndNoBlueprint) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  const auto blueprint = std::make_shared<const Blueprint>(cube(8), fabric->shape());
  EXPECT_EQ(testing::refusal([&] { call_time(*fabric, {}, blueprint, Way::forward, 0); }),
            "call_time with 0 rounds; expected 1 or more");
  EXPECT_EQ(testing::refusal([&] { call_time(*fabric, {}, nullptr, Way::forward, 1); }),
            "a plan of no blueprint; expected a blueprint");
}

}  // namespace
}  // namespace toroid::fft
