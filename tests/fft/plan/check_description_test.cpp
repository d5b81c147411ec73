// No value of a description's field ends the process: each is accepted or refused with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/convolution.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"

namespace toroid::fft {
namespace {

using ::testing::HasSubstr;
using testing::refusal_of;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::array kEveryMethod = {Method::volumetric, Method::slab, Method::orbital,
                                     Method::rows};

/// A wrong value of one field, and the words that its refusal must have.
struct Wrong {
  std::function<void(Description&)> set;
  const char* words;
};

AxisTransform kind_of_number(unsigned number) {
  return static_cast<TransformKind>(number);
}

AxisTransform null_matrix() {
  return std::shared_ptr<const SquareMatrix>();
}

AxisTransform dct_with_matrix() {
  AxisTransform transform(
      std::make_shared<const SquareMatrix>("m", 1, std::vector<std::complex<double>>{1}));
  transform.kind = TransformKind::dct;
  return transform;
}

/// A value that no enumeration has.
template <typename Choice>
void set_to_99(Choice& choice) {
  choice = static_cast<Choice>(99);
}

std::vector<Wrong> wrong_values() {
  return {
      {[](auto& d) {
         d.size = {4, 0, 4};
       },
       "size is 4x0x4; expected extents of 1 or more"},
      {[](auto& d) {
         d.size = {4, 4, -4};
       },
       "size is 4x4x-4"},
      {[](auto& d) {
         d.size = {kLeast, 4, 4};
       },
       "expected extents of 1 or more"},
      {[](auto& d) { d.size = {}; }, "1 to 6 axes, not 0"},
      {[](auto& d) { d.size = {1, 1, 1, 1, 1, 1, 1}; }, "1 to 6 axes, not 7"},
      {[](auto& d) {
         d.size = {std::int64_t{1} << 40, 1 << 10, 1 << 10};
       },
       "an array of 1099511627776x1024x1024x1x1x1, batch 1, is too large; expected at most 2^56"},
      {[](auto& d) {
         d.size = {kMost, kMost, kMost};
       },
       "is too large"},
      {[](auto& d) { d.batch = 0; }, "batch is 0; expected 1 or more"},
      {[](auto& d) { d.batch = kLeast; }, "expected 1 or more"},
      {[](auto& d) { d.batch = kMost; }, "is too large"},
      {[](auto& d) { set_to_99(d.method); },
       "method is the number 99; expected volumetric, slab, orbital, rows"},
      {[](auto& d) { set_to_99(d.layer); }, "layer is the number 99; expected packets, mpi"},
      {[](auto& d) { set_to_99(d.precision); },
       "precision is the number 99; expected single, double"},
      {[](auto& d) { set_to_99(d.variant); }, "variant is the number 99; expected cra, bcr, bbc"},
      {[](auto& d) { set_to_99(d.rigor); }, "rigor is the number 99; expected estimate, measure"},
      {[](auto& d) { set_to_99(d.library); }, "library is the number 99; expected fftw, kissfft"},
      {[](auto& d) { set_to_99(d.first); }, "first is the number 99; expected forward, backward"},
      {[](auto& d) { set_to_99(d.overlap.start); },
       "overlap.start is the number 99; expected exchange, lines"},
      {[](auto& d) { d.overlap.planes = -5; }, "overlap.planes is -5; expected 0 or more"},
      {[](auto& d) { d.overlap.backward_planes = -5; },
       "overlap.backward_planes is -5; expected 0 or more"},
      {[](auto& d) { d.overlap.window = 0; }, "a window of 0 exchanges; expected 1 to 32"},
      {[](auto& d) { d.overlap.window = 33; }, "a window of 33 exchanges; expected 1 to 32"},
      {[](auto& d) { d.overlap.test_interval = -1; },
       "overlap.test_interval is -1; expected 0 or more"},
      {[](auto& d) { d.box_cut = 0.5; }, "box_cut is 0.5; expected a finite number of 1 or more"},
      {[](auto& d) { d.box_cut = 0; }, "box_cut is 0"},
      {[](auto& d) { d.box_cut = -2; }, "box_cut is -2"},
      {[](auto& d) { d.box_cut = std::numeric_limits<double>::quiet_NaN(); }, "box_cut is nan"},
      {[](auto& d) { d.box_cut = std::numeric_limits<double>::infinity(); }, "box_cut is inf"},
      {[](auto& d) { d.cores = 0; }, "cores is 0; expected 1 or more"},
      {[](auto& d) { d.kinds[1] = kind_of_number(99); },
       "kinds[1].kind is the number 99; expected dft, dct"},
      {[](auto& d) { d.kinds[2] = null_matrix(); },
       "kinds[2] is a matrix, but its pointer is null; expected a SquareMatrix"},
      {[](auto& d) { d.kinds[0] = dct_with_matrix(); },
       "kinds[0] is dct with a matrix; only the kind matrix takes one"},
      {[](auto& d) {
         d.scheduling = {0, 1, 1};
       },
       "scheduling is 0,1,1; expected 1 or -1 in each dimension"},
      {[](auto& d) {
         d.scheduling = {1, 2, 1};
       },
       "scheduling is 1,2,1"},
      {[](auto& d) {
         d.stage_axes = {2, 2, 1};
       },
       "stage_axes is 2,2,1; expected 0, 1 and 2 in any order"},
      {[](auto& d) {
         d.stage_axes = {0, 1, 3};
       },
       "stage_axes is 0,1,3"},
      {[](auto& d) { d.in_boxes.resize(3); }, "3 in-boxes for 8 nodes; expected one per node"},
      {[](auto& d) { d.out_boxes.resize(9); }, "9 out-boxes for 8 nodes; expected one per node"},
      {[](auto& d) {
         d.in_boxes.resize(8);
         d.in_boxes[3] = {{2, 0, 0}, {1, 4, 4}};
       },
       "in-box of node 3, [2, 1) x [0, 4) x [0, 4) x [0, 1) x [0, 1) x [0, 1), ends before it "
       "begins along axis 0"},
      {[](auto& d) {
         d.out_boxes.resize(8);
         d.out_boxes[1] = {{0, -1, 0}, {4, 4, 4}};
       },
       "out-box of node 1, [0, 4) x [-1, 4)"},
      {[](auto& d) {
         d.in_boxes.resize(8);
         d.in_boxes[0] = {{kLeast, 0, 0}, {kMost, 4, 4}};
       },
       "is not inside the array"},
  };
}

TEST(CheckDescription, RefusesEveryWrongValueWithEveryMethod) {
  for (const Wrong& wrong : wrong_values())
    for (const Method method : kEveryMethod) {
      Description d{.size = {8, 8, 8}, .method = method};
      wrong.set(d);
      const std::string refusal = refusal_of("2x2x2", d);
      EXPECT_THAT(refusal, HasSubstr(wrong.words));
      EXPECT_EQ(refusal.find('\n'), std::string::npos);
    }
}

TEST(CheckDescription, AcceptsExtremeValuesThatArePossible) {
  for (const Method method : kEveryMethod) {
    Description d{.size = {8, 8, 8}, .method = method};
    d.overlap = {.planes = kMost,
                 .window = kMostOutstanding,
                 .test_interval = kMost,
                 .backward_planes = kMost};
    d.cores = std::numeric_limits<unsigned>::max();
    EXPECT_EQ(refusal_of("2x2x2", d), "nothing was refused");
  }
  Description cut{.size = {4, 4, 4}, .method = Method::slab, .box_cut = 1e300};
  EXPECT_THAT(refusal_of("2", cut), HasSubstr("leaves no points of 4x4x4; use at most 4"));
}

/// Lines and arrays that no memory holds, but a blueprint does.
TEST(CheckDescription, RefusesArraysWhosePartsCannotBeExchanged) {
  const std::vector<std::int64_t> large = {1 << 11, 1 << 11, 1 << 11};
  for (const Method method : testing::kMethods) {
    EXPECT_THAT(refusal_of("2", {.size = large, .method = method}),
                HasSubstr("elements; at most 2147483648 can be exchanged"));
    EXPECT_EQ(refusal_of("4x4", {.size = large, .method = method}), "nothing was refused");
  }
  EXPECT_THAT(refusal_of("1", {.size = large, .method = Method::rows}),
              HasSubstr("at most 4294967295 can be exchanged"));
}

TEST(CheckDescription, RefusesLinesThatKissFftCannotCount) {
  Description d{.size = {(std::int64_t{1} << 31) - 1}, .method = Method::rows};
  d.library = LibraryName::kissfft;
  EXPECT_EQ(refusal_of("1", d), "nothing was refused");
  ++d.size[0];
  EXPECT_EQ(refusal_of("1", d),
            "size is 2147483648; kissfft transforms lines of at most 2147483647 points");
}

TEST(CheckDescription, RefusesStagesThatExchangesDoNotConnect) {
  EXPECT_EQ(testing::refusal([] { const Blueprint none({.size = {4}}, Shape::parse("1"), {}); }),
            "0 stages with 0 exchanges; expected one between any two stages");
}

TEST(CheckDescription, ExtentsOfAnUncheckedDescriptionAreSafe) {
  Description d{.size = {6, 6, 6}, .real = true};
  for (const double cut : {0.0, -1.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
    d.box_cut = cut;
    EXPECT_EQ(out_extents(d)[0], 6);
  }
  d.size.clear();
  EXPECT_EQ(out_extents(d)[0], 1);
  d.size.resize(7);
  EXPECT_THROW((void)in_extents(d), BadInput);
  EXPECT_THROW((void)wave_vector(d, Index{}), BadInput);
}

}  // namespace
}  // namespace toroid::fft
