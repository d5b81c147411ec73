// The bound by lengths of links, compared with optima that are known.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "packet/traffic/congestion_bound.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kSteps = 1'000'000;

double bound(const char* shape, const std::vector<Demand>& demands, std::uint64_t steps = kSteps) {
  return congestion_bound(Shape::parse(shape), demands, steps);
}

/// Expects that the bound is at most the optimum and near it.
void expect_near(double found, double optimum) {
  EXPECT_LE(found, optimum);
  EXPECT_GE(found, 0.95 * optimum);
}

TEST(CongestionBound, OfOneDemandIsItsShareOfTheFirstLinks) {
  expect_near(bound("4x4", {{0, 1, 100}}), 100);       // (0,1): one path
  expect_near(bound("4x4", {{0, 5, 100}}), 50);        // (1,1): by X+ or Y+
  expect_near(bound("4x4", {{0, 10, 100}}), 25);       // (2,2): by all four links
  expect_near(bound("4mx4m", {{0, 10, 100}}), 50);     // a mesh has two of them
  expect_near(bound("4x8@XY4", {{0, 28, 100}}), 100);  // (3,4): X-, across the twist
}

TEST(CongestionBound, CountsDemandsThatMeetFarFromTheirEnds) {
  // On a line, three messages from different nodes to different nodes share one link.
  expect_near(bound("6m", {{0, 3, 10}, {1, 4, 10}, {2, 5, 10}}), 30);
}

TEST(CongestionBound, IsZeroWithoutDemandsOrIfARoundIsTooLong) {
  EXPECT_EQ(bound("4x4", {}), 0);
  EXPECT_EQ(bound("4x4", {{0, 1, 100}}, 15), 0);
  EXPECT_GT(bound("4x4", {{0, 1, 100}}, 16), 0);
}

}  // namespace
}  // namespace toroid
