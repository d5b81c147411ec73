// The formulas for the hottest link, compared with an enumeration of every message and every hop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/hal/link_loads.hpp"
#include "tests/hal/shapes.hpp"

namespace toroid {
namespace {

std::vector<Shape> loaded_shapes() {
  auto shapes = testing::some_of(testing::all_shapes(3, 6), 27);
  for (const auto& shape : testing::all_shapes(2, 8)) shapes.push_back(shape);
  for (const auto& shape : testing::all_shapes(1, 20)) shapes.push_back(shape);
  for (const auto& shape :
       testing::parsed({"8x8x8", "8x8x8m", "2x8x4", "10x6", "2x2x2x2", "3x2x6x2", "3x3x3x3",
                        "2x2x2x2x2x2", "3x2x2mx2x2x2", "256"}))
    shapes.push_back(shape);
  return shapes;
}

TEST(HottestLink, MatchesTheEnumerationWithTiesSplitInHalves) {
  for (const Shape& shape : loaded_shapes()) {
    const auto halves = testing::loads_with_halved_ties(shape);
    std::uint64_t most = 0;
    for (unsigned d = 0; d < shape.dims(); ++d) {
      const Fraction formula = hottest_link_messages(shape, d);
      const std::uint64_t counted = testing::hottest(shape, halves, d);
      EXPECT_EQ(counted * formula.denominator, 2 * formula.numerator)
          << shape.text() << " dimension " << d << ": " << counted << " halves, formula "
          << formula.numerator << '/' << formula.denominator;
      most = std::max(most, counted);
    }
    const Fraction whole = hottest_link_messages(shape);
    EXPECT_EQ(most * whole.denominator, 2 * whole.numerator) << shape.text();
  }
}

TEST(HottestLink, CarriesTheBoundRoundedUpWithBalancedTies) {
  for (const Shape& shape : loaded_shapes()) {
    const auto loads = testing::loads_with_rule(shape, TieRule::balanced);
    for (unsigned d = 0; d < shape.dims(); ++d)
      EXPECT_EQ(testing::hottest(shape, loads, d), hottest_link_messages(shape, d).rounded_up())
          << shape.text() << " dimension " << d;
  }
}

TEST(HottestLink, CarriesTheBoundWithParityIfExtentsAreOddOrMultiplesOfFour) {
  for (const Shape& shape : loaded_shapes()) {
    const auto loads = testing::loads_with_rule(shape, TieRule::parity);
    for (unsigned d = 0; d < shape.dims(); ++d) {
      if (shape.wraps(d) && shape.extent(d) % 4 == 2) continue;
      EXPECT_EQ(testing::hottest(shape, loads, d), hottest_link_messages(shape, d).rounded_up())
          << shape.text() << " dimension " << d;
    }
  }
}

TEST(HottestLink, CarriesAQuarterMoreAtExtentEightIfAllTiesGoByPlus) {
  const Shape torus = Shape::parse("8x8");
  const auto loads = testing::loads_with_rule(torus, TieRule::plus);
  EXPECT_EQ(4 * testing::hottest(torus, loads, 0),
            5 * hottest_link_messages(torus, 0).rounded_up());
}

}  // namespace
}  // namespace toroid
