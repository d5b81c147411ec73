// The patent's method: whole lines assigned by rank, exchanges among all nodes, arrays of one to
// six axes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "tests/fft/plan/plan_check.hpp"

namespace toroid::fft {
namespace {

using testing::expect_right_of_any_data;
using testing::refusal_of;
using testing::Sizing;

Description rows(const std::vector<std::int64_t>& size, std::int64_t batch = 1) {
  return {.size = size, .method = Method::rows, .batch = batch};
}

/// FIG. 4 to 8: node Qrc of the 3x3 torus first has row 3(r-1)+c of the 9x9 array, then the column
/// with the same number.
TEST(Rows, AreAssignedAsInThePatent) {
  const Blueprint blueprint(rows({9, 9}), Shape::parse("3x3"));
  ASSERT_EQ(blueprint.stages().size(), 2u);
  for (Rank q = 0; q < 9; ++q) {
    const Coord at = blueprint.shape().coord(q);
    const Rank r = at[0] + 1u;
    const Rank c = at[1] + 1u;
    const std::int64_t line = 3 * (r - 1) + c - 1;
    EXPECT_EQ(std::int64_t{q}, line);
    const NodeLayout row = blueprint.stages()[0].in.layout(q);
    ASSERT_EQ(row.boxes().size(), 1u);
    EXPECT_EQ(row.boxes()[0], (Box{{line, 0}, {line + 1, 9, 1, 1, 1, 1, 1}}));
    const NodeLayout column = blueprint.stages()[1].in.layout(q);
    ASSERT_EQ(column.boxes().size(), 1u);
    EXPECT_EQ(column.boxes()[0], (Box{{0, line}, {9, line + 1, 1, 1, 1, 1, 1}}));
    for (std::int64_t i = 0; i < 9; ++i) {
      EXPECT_EQ(row.offset({line, i}), i);
      EXPECT_EQ(column.offset({i, line}), i);
    }
  }
}

TEST(Rows, TransformThePatentsArray) {
  expect_right_of_any_data("3x3", rows({9, 9}));
  expect_right_of_any_data("3x3", rows({9, 9}, 3));
}

class RowsOf : public ::testing::TestWithParam<Sizing> {};

TEST_P(RowsOf, AnyNumberOfAxesIsRight) {
  for (const std::int64_t batch : {1, 3}) {
    Description d = rows(GetParam().size, batch);
    d.return_to_input = batch == 3;
    expect_right_of_any_data(GetParam().torus, d);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, RowsOf,
    ::testing::Values(Sizing{{1}, "1"}, Sizing{{2}, "1x1"}, Sizing{{3}, "1"}, Sizing{{97}, "1"},
                      Sizing{{1, 1}, "1"}, Sizing{{1, 7}, "4"}, Sizing{{7, 1}, "7"},
                      Sizing{{2, 3}, "2"}, Sizing{{100, 3}, "5"}, Sizing{{3, 100}, "3x7"},
                      Sizing{{13, 11}, "2x2m"}, Sizing{{5, 2}, "2x1x2"}, Sizing{{3, 1, 4}, "2x2"},
                      Sizing{{1, 1, 5}, "3"}, Sizing{{6, 5, 4}, "2x2x2x2"},
                      Sizing{{3, 4, 5, 2}, "2x3"}, Sizing{{4, 5, 6, 7}, "3x3"},
                      Sizing{{2, 1, 3, 1}, "6"}, Sizing{{3, 2, 5, 2, 4}, "2x2x2x2"},
                      Sizing{{2, 2, 2, 2, 2}, "16"}, Sizing{{2, 3, 2, 3, 2, 3}, "2x3m"},
                      Sizing{{1, 2, 1, 3, 1, 5}, "3"}, Sizing{{2, 2, 3, 2, 2, 1}, "2x2x2"}));

/// Arrays whose axes have fewer lines than the machine has nodes.
INSTANTIATE_TEST_SUITE_P(WithIdleNodes, RowsOf,
                         ::testing::Values(Sizing{{4, 4}, "3x3"}, Sizing{{64}, "2"},
                                           Sizing{{1}, "2x2"}, Sizing{{1, 1, 1}, "3"},
                                           Sizing{{1, 7}, "7"}, Sizing{{2, 2}, "13"},
                                           Sizing{{3, 15}, "4x4"}, Sizing{{3, 2, 2}, "5x3m"},
                                           Sizing{{1, 2, 1, 3}, "2x2x2"}));

TEST(Rows, AreTheOnlyMethodUnlessTheArrayHasThreeAxes) {
  for (const Method method : {Method::volumetric, Method::slab})
    for (const auto& size : std::vector<std::vector<std::int64_t>>{{8}, {8, 8}, {4, 4, 4, 4}})
      EXPECT_THAT(refusal_of("2", {.size = size, .method = method}),
                  ::testing::HasSubstr("rows takes 1 to 6"));
  EXPECT_THAT(refusal_of("1", rows({})), ::testing::HasSubstr("1 to 6 axes, not 0"));
  EXPECT_THAT(refusal_of("1", rows({2, 2, 2, 2, 2, 2, 2})), ::testing::HasSubstr("not 7"));
}

}  // namespace
}  // namespace toroid::fft
