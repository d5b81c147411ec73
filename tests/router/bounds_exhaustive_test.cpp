// No run of the model is faster than a bound. The tests cover all small shapes (in the landing set
// only an eighth of the larger three-dimensional ones), all routings, and short and long messages.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "tests/hal/shapes.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::MachineExchange;
using testing::SimMachine;

void expect_above_bounds(const Shape& shape, RoutingRule routing, TieRule tie,
                         std::uint64_t bytes) {
  const Machine bgl;
  SimMachine machine(shape, {.settings = {.routing = routing, .tie = tie}}, {}, bgl);
  MachineExchange(machine, bytes).run();
  const Bounds bounds = all_to_all_bounds(bgl, shape, message_cost(bgl, bytes));
  const Tick time = machine.finished_at();
  EXPECT_GE(time, bounds.hottest_link) << shape.text() << ' ' << bytes;
  EXPECT_GE(time, bounds.injection) << shape.text() << ' ' << bytes;
  EXPECT_GE(time, bounds.processor) << shape.text() << ' ' << bytes;
  EXPECT_GE(time, bounds.zero_load) << shape.text() << ' ' << bytes;
  EXPECT_GE(machine.counters().end, time) << shape.text();
}

void expect_above_bounds(const std::vector<Shape>& shapes) {
  for (const Shape& shape : shapes)
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      for (const std::uint64_t bytes : {16u, 240u, 3 * 240u})
        expect_above_bounds(shape, routing, TieRule::balanced, bytes);
}

TEST(NeverBelowTheBound, OnLinesAndRings) {
  expect_above_bounds(testing::all_shapes(1, 12));
}

TEST(NeverBelowTheBound, InTwoDimensions) {
  expect_above_bounds(testing::all_shapes(2, 4));
  expect_above_bounds(testing::parsed({"5x5", "5x5m", "5mx5m", "5x4", "5mx2"}));
}

TEST(NeverBelowTheBound, InThreeDimensions) {
  expect_above_bounds(testing::some_of(testing::all_shapes(3, 4), 12));
  expect_above_bounds(testing::parsed({"5x5x2", "5x4mx3", "5x5x5"}));
}

TEST(NeverBelowTheBound, WithAFastProcessor) {
  Machine machine;
  machine.inject_cycles = 1;
  machine.receive_cycles = 1;
  for (const char* text : {"8", "4x4", "3x3x3", "4x4x4", "4mx4m"}) {
    const Shape shape = Shape::parse(text);
    SimMachine sim(shape, {.settings = {.tie = TieRule::balanced}}, {}, machine);
    MachineExchange(sim, 240).run();
    EXPECT_GE(sim.finished_at(),
              all_to_all_bounds(machine, shape, message_cost(machine, 240)).max())
        << text;
  }
}

}  // namespace
}  // namespace toroid
