// Results follow from the input alone: two runs with the same seed agree in all counters.
#include <gtest/gtest.h>

#include <cstdint>

#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/everything.hpp"
#include "tests/router/sim/model_case.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid {
namespace {

using testing::Everything;
using testing::everything;
using testing::MachineExchange;
using testing::SimMachine;

Everything run(const char* shape, RoutingRule routing, TieRule tie, std::uint64_t seed) {
  return testing::after_run(
      {shape, 500, {.seed = seed, .settings = {.routing = routing, .tie = tie}}}, everything);
}

TEST(Determinism, EqualSeedsGiveEqualRuns) {
  for (const char* shape : {"7", "4x4", "3x4mx2", "4x4x4", "2x2x2x2x2"})
    for (const auto routing :
         {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
      for (const std::uint64_t seed : {1u, 2u})
        EXPECT_EQ(run(shape, routing, TieRule::split, seed),
                  run(shape, routing, TieRule::split, seed))
            << shape;
}

TEST(Determinism, DifferentSeedsGiveDifferentRuns) {
  for (const auto routing :
       {RoutingRule::adaptive, RoutingRule::deterministic, RoutingRule::random_order})
    for (const auto tie : {TieRule::split, TieRule::parity, TieRule::alternate})
      EXPECT_NE(run("4x4x4", routing, tie, 1), run("4x4x4", routing, tie, 2));
}

TEST(Determinism, MachinesDoNotAffectEachOther) {
  SimMachine one(Shape::parse("4x4"));
  SimMachine other(Shape::parse("3x3"), {.seed = 9});
  MachineExchange exchange(one, 500);
  MachineExchange(other, 240).run();
  exchange.run();
  EXPECT_EQ(everything(one), run("4x4", RoutingRule::adaptive, TieRule::alternate, 1));
}

}  // namespace
}  // namespace toroid
