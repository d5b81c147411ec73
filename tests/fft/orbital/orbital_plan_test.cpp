// Which node holds which blocks, and what an orbital plan refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/shape.hpp"
#include "tests/fft/orbital/orbital_run.hpp"
#include "tests/fft/plan/plan_check.hpp"

namespace toroid::fft {
namespace {

using testing::cube_of;
using testing::cube_size;
using ::testing::HasSubstr;
using enum TransformKind;

std::string refusal(const ArrayExtents& size, const char* torus,
                    const OrbitalOptions& options = {}) {
  try {
    const OrbitalPlan plan(size, Shape::parse(torus), options);
  } catch (const BadInput& refused) {
    EXPECT_EQ(std::string(refused.what()).find('\n'), std::string::npos);
    return refused.what();
  }
  return "nothing refused";
}

TEST(OrbitalPlan, RefusesMachinesOtherThanCubicTori) {
  for (const char* torus : {"2x2x4", "2x2", "8", "2x2x2x2", "2x2x2m", "3mx3mx3m"}) {
    const std::string why = refusal(cube_size(12), torus);
    EXPECT_THAT(why, HasSubstr(std::string("torus ") + torus + " does not fit"));
    EXPECT_THAT(why, HasSubstr("P x P x P"));
  }
  EXPECT_THAT(refusal(cube_size(12), "2x4x8"), HasSubstr("for N = 12: 3x3x3 or 4x4x4"));
  EXPECT_THAT(refusal(cube_size(7), "2x2x1"), HasSubstr("for N = 7: 1x1x1 or 7x7x7"));
}

TEST(OrbitalPlan, RefusesUnequalBlocksAndNamesTheNearestSizesAndMachines) {
  EXPECT_THAT(refusal(cube_size(10), "4x4x4"),
              HasSubstr("nearest: N = 8 or 12 on this torus, or torus 2x2x2 or 5x5x5 for N = 10"));
  EXPECT_THAT(refusal(cube_size(7), "4x4x4"),
              HasSubstr("nearest: N = 4 or 8 on this torus, or torus 1x1x1 or 7x7x7 for N = 7"));
  EXPECT_THAT(refusal(cube_size(3), "4x4x4"),
              HasSubstr("nearest: N = 4 on this torus, or torus 3x3x3 for N = 3"));
}

TEST(OrbitalPlan, RefusesWhtOfSizesThatAreNotPowersOfTwo) {
  const OrbitalOptions options{.kinds = {dft, dft, wht}};
  EXPECT_THAT(refusal(cube_size(12), "2x2x2", options), HasSubstr("N = 12; nearest: 8 or 16"));
  EXPECT_THAT(refusal(cube_size(12), "3x3x3", options),
              HasSubstr("nearest: 8 or 16, on torus 2x2x2 or 4x4x4"));
}

TEST(OrbitalPlan, RefusesTheFourierTransformOfRealElements) {
  const OrbitalOptions options{.kinds = {dct, dft, dct}, .element = ElementType::float32};
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", options), HasSubstr("dft of float32"));
}

TEST(OrbitalPlan, TakesUnequalExtentsThatAllSplitIntoEqualBlocks) {
  EXPECT_EQ(refusal({4, 2, 6}, "2x2x2"), "nothing refused");
  EXPECT_THAT(refusal({4, 5, 6}, "2x2x2"), HasSubstr("N = 5 is not a multiple of P = 2"));
  EXPECT_THAT(refusal({4, 5, 6}, "2x2x2"), HasSubstr("torus 1x1x1 for 4x5x6"));
  EXPECT_THAT(refusal({12, 24, 18}, "5x5x5"), HasSubstr("torus 3x3x3 or 6x6x6 for 12x24x18"));
  EXPECT_THAT(refusal({4, 8, 12}, "2x2x2", {.kinds = {wht, wht, wht}}), HasSubstr("N = 12"));
  EXPECT_EQ(refusal({4, 8, 12}, "2x2x2", {.kinds = {wht, wht, dct}}), "nothing refused");
}

TEST(OrbitalPlan, RefusesMatricesThatDoNotFitTheirAxis) {
  const OrbitalOptions real{.kinds = {testing::noise_matrix<double>(4, 1), dct, dct}};
  EXPECT_EQ(refusal({4, 6, 8}, "2x2x2", real), "nothing refused");
  EXPECT_EQ(refusal({6, 4, 8}, "2x2x2", real), "matrix noise is 4x4, but its axis has 6 points");
  const OrbitalOptions complex{.kinds = {testing::noise_matrix<std::complex<double>>(4, 1)},
                               .element = ElementType::float64};
  EXPECT_EQ(refusal({4, 4, 4}, "2x2x2", complex),
            "matrix noise of float64 elements has complex coefficients; use complex elements");
}

TEST(OrbitalPlan, RefusesTheInverseOfASingularMatrix) {
  const std::vector<std::complex<double>> ones(4, 1);
  OrbitalOptions options{.kinds = {dct, std::make_shared<const SquareMatrix>("ones", 2, ones)}};
  EXPECT_EQ(refusal({2, 2, 2}, "1", options), "nothing refused");
  options.sign = Sign::inverse;
  EXPECT_EQ(refusal({2, 2, 2}, "1", options), "matrix ones is singular: it has no inverse");
}

TEST(OrbitalPlan, RefusesImpossibleValues) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal({4, 0, 4}, "1"), "size is 4x0x4; expected extents of 1 or more");
  EXPECT_THAT(refusal({kMost, 2, 2}, "1"), HasSubstr("is too large"));
  EXPECT_THAT(refusal({std::int64_t{1} << 29, 1, 1}, "1"), HasSubstr("at most 2^28 points"));
  EXPECT_THAT(refusal({1 << 15, 1, 1 << 15}, "1"), HasSubstr("a side of a node's block"));
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", {.sign = static_cast<Sign>(0)}),
              HasSubstr("sign is 0; expected -1 or 1"));
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", {.element = static_cast<ElementType>(4)}),
              HasSubstr("element is the number 4; expected float32"));
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", {.alpha = {1, 0, 1}}), HasSubstr("scheduling is 1,0"));
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", {.stage_axes = {0, 1, 1}}),
              HasSubstr("stage_axes is 0,1,1"));
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", {.variant = static_cast<OrbitalVariant>(3)}),
              HasSubstr("variant is the number 3"));
  EXPECT_THAT(refusal(cube_size(4), "2x2x2", {.kinds = {static_cast<TransformKind>(7)}}),
              HasSubstr("kinds[0].kind is the number 7"));
}

TEST(OrbitalPlan, RefusesOtherMachinesAndTypesOfElements) {
  const OrbitalPlan plan(cube_size(4), cube_of(2), {.element = ElementType::complex64});
  EXPECT_EQ(testing::refusal([&] { (void)plan.checked_for(8, ElementType::complex64); }),
            "nothing was refused");
  EXPECT_EQ(testing::refusal([&] { (void)plan.checked_for(4, ElementType::complex64); }),
            "an orbital plan for 2 x 2 x 2 nodes on a machine of 4");
  EXPECT_EQ(testing::refusal([&] { (void)plan.checked_for(8, ElementType::float32); }),
            "an orbital transform of float32 elements by a plan for complex64");
}

TEST(OrbitalPlan, TakesASingleNodeOfAnyShape) {
  for (const char* torus : {"1", "1x1", "1x1x1", "1m"})
    EXPECT_EQ(refusal(cube_size(5), torus), "nothing refused");
}

TEST(OrbitalPlan, GivesEveryBlockToOneNode) {
  for (const unsigned extent : {1u, 2u, 3u, 5u})
    for (unsigned bits = 0; bits < 8; ++bits) {
      OrbitalOptions options;
      for (unsigned d = 0; d < 3; ++d) options.alpha[d] = (bits >> d & 1) != 0 ? -1 : 1;
      const OrbitalPlan plan(cube_size(2 * extent), cube_of(extent), options);
      for (unsigned number = 0; number < 4; ++number) {
        std::set<BlockIndex> blocks;
        for (Rank r = 0; r < extent * extent * extent; ++r) blocks.insert(plan.home(number, r));
        EXPECT_EQ(blocks.size(), extent * extent * extent);
      }
    }
}

TEST(OrbitalPlan, SkewsTheResultAsTheReportSays) {
  const OrbitalPlan plan(cube_size(8), cube_of(4), {});
  const Shape shape = cube_of(4);
  for (Rank r = 0; r < 64; ++r) {
    const Coord at = shape.coord(r);
    const unsigned t = (at[0] + at[1] + at[2]) % 4u;
    EXPECT_EQ(plan.canonical(r), (BlockIndex{at[0], at[1], at[2]}));
    EXPECT_EQ(plan.skewed(r), (BlockIndex{at[2], at[0], t}));
    EXPECT_EQ(plan.output_box(r).lo, (Index{2 * at[2], 2 * at[0], 2 * t}));
  }
}

/// For any order, layouts and directions are those of the report with axes and dimensions renamed.
TEST(OrbitalPlan, RenamesAxesForEveryOrderOfTheStages) {
  std::array<unsigned, 3> order{0, 1, 2};
  do {
    const OrbitalPlan plan({4, 8, 12}, cube_of(4), {.stage_axes = order});
    const auto [first, second, third] = order;
    for (Rank r = 0; r < 64; ++r) {
      const Coord at = cube_of(4).coord(r);
      const BlockIndex skewed = plan.skewed(r);
      EXPECT_EQ(skewed[first], (at[0] + at[1] + at[2]) % 4u);
      EXPECT_EQ(skewed[second], at[first]);
      EXPECT_EQ(skewed[third], at[second]);
    }
    for (unsigned stage = 0; stage < 3; ++stage) EXPECT_EQ(plan.stage(stage).axis, order[stage]);
    for (const unsigned stage : {0u, 1u})  // these stages stay within slices across the third axis
      for (const auto& block : plan.moved_blocks(stage)) EXPECT_NE(block.dimension, third);
  } while (std::ranges::next_permutation(order).found);
}

TEST(OrbitalPlan, InvertsFromTheLayoutThatForwardLeaves) {
  const OrbitalPlan forward(cube_size(6), cube_of(3), {.alpha = {1, -1, 1}});
  const OrbitalPlan inverse(cube_size(6), cube_of(3), {.sign = Sign::inverse, .alpha = {1, -1, 1}});
  for (Rank r = 0; r < 27; ++r) {
    EXPECT_EQ(forward.output_box(r), inverse.input_box(r));
    EXPECT_EQ(forward.input_box(r), inverse.output_box(r));
  }
}

TEST(OrbitalPlan, HasNeighboursOneLinkAway) {
  const Shape shape = cube_of(4);
  for (const int sign : {1, -1}) {
    const OrbitalPlan plan(cube_size(4), shape, {.alpha = {sign, sign, sign}});
    for (Rank r = 0; r < 64; ++r)
      for (unsigned d = 0; d < 3; ++d) {
        const auto [to, from] = plan.neighbours(d, r);
        EXPECT_EQ(to, *shape.neighbour(r, sign > 0 ? Direction::plus(d) : Direction::minus(d)));
        EXPECT_EQ(from, *shape.neighbour(r, sign > 0 ? Direction::minus(d) : Direction::plus(d)));
      }
  }
}

}  // namespace
}  // namespace toroid::fft
