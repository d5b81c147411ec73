// Bounds that a traffic keeps are those that would be computed again.
#include <gtest/gtest.h>

#include <cstdint>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/traffic/known_bounds.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/traffic_bounds.hpp"

namespace toroid {
namespace {

void expect_equal(const Bounds& a, const Bounds& b) {
  EXPECT_EQ(a.hottest_link, b.hottest_link);
  EXPECT_EQ(a.injection, b.injection);
  EXPECT_EQ(a.processor, b.processor);
  EXPECT_EQ(a.zero_load, b.zero_load);
}

MatrixTraffic some_traffic(const Shape& shape) {
  return {"some", shape.size(), MatrixTraffic::random_messages(shape.size(), 3, 1000, 7)};
}

TEST(KnownBounds, EqualThoseOfATrafficThatKeepsNone) {
  const Shape torus = Shape::parse("4x4x2");
  const Shape mesh = Shape::parse("4mx4mx2m");
  Machine slow;
  slow.receive_cycles = 9000;
  const MatrixTraffic fresh = some_traffic(torus);
  MatrixTraffic keeping = fresh;
  keeping.keep_bounds();
  for (int again = 0; again < 2; ++again)
    for (const Shape& shape : {torus, mesh})
      for (const Machine& machine : {Machine{}, slow}) {
        expect_equal(traffic_bounds(machine, shape, keeping),
                     traffic_bounds(machine, shape, fresh));
        expect_equal(traffic_bounds(machine, shape, keeping, TieRule::plus),
                     traffic_bounds(machine, shape, fresh, TieRule::plus));
        expect_equal(traffic_bounds_of_any_ways(machine, shape, keeping),
                     traffic_bounds_of_any_ways(machine, shape, fresh));
      }
}

TEST(KnownBounds, AreComputedOncePerQuestion) {
  const Shape shape = Shape::parse("4x4");
  KnownBounds known;
  int computed = 0;
  const auto compute = [&] { return Bounds{.hottest_link = static_cast<Tick>(++computed)}; };
  EXPECT_EQ(known.get({}, shape, 0, compute).hottest_link, 1);
  EXPECT_EQ(known.get({}, shape, 0, compute).hottest_link, 1);
  EXPECT_EQ(known.get({}, shape, 1, compute).hottest_link, 2);
  EXPECT_EQ(known.get({}, Shape::parse("4x4m"), 0, compute).hottest_link, 3);
  const auto twice = [](std::uint64_t bytes) { return 2 * bytes; };
  EXPECT_EQ(known.of_resized(twice).get({}, shape, 0, compute).hottest_link, 4);
  EXPECT_EQ(known.of_resized(twice).get({}, shape, 0, compute).hottest_link, 4);
}

TEST(KnownBounds, AreSharedByCopiesOfTheTraffic) {
  MatrixTraffic first = some_traffic(Shape::parse("4x4"));
  EXPECT_EQ(first.known_bounds(), nullptr);
  first.keep_bounds();
  const MatrixTraffic second = first;
  EXPECT_NE(first.known_bounds(), nullptr);
  EXPECT_EQ(first.known_bounds(), second.known_bounds());
}

}  // namespace
}  // namespace toroid
