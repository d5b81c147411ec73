#include "fft/volumetric_fft.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "hal/check.hpp"
#include "tests/fft/transform_run.hpp"

namespace toroid {
namespace {

using testing::noise;
using testing::relative_error;
using testing::transform;

struct Case {
  Index size;
  const char* torus;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.size[0] << "x" << c.size[1] << "x" << c.size[2] << " on " << c.torus;
}

class VolumetricFftAgainstFftw : public ::testing::TestWithParam<Case> {};

TEST_P(VolumetricFftAgainstFftw, GivesTheSameForwardTransform) {
  const auto [size, torus] = GetParam();
  std::vector<Complex> expected = noise(size, 3);
  const auto run = transform(expected, VolumetricPlan(size, Shape::parse(torus), {}));
  fftw_reference(size, Sign::forward, expected);
  EXPECT_LT(relative_error(run.result, expected), 1e-14);
}

TEST_P(VolumetricFftAgainstFftw, GivesTheInputBackWhenInvertedFromTheReturnedLayout) {
  const auto [size, torus] = GetParam();
  const std::vector<Complex> input = noise(size, 4);
  const Shape shape = Shape::parse(torus);
  const auto there = transform(input, VolumetricPlan(size, shape, {Sign::forward, true}));
  auto back = transform(there.result, VolumetricPlan(size, shape, {Sign::inverse, true})).result;
  for (Complex& value : back) value /= static_cast<double>(input.size());
  EXPECT_LT(relative_error(back, input), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, VolumetricFftAgainstFftw,
    ::testing::Values(
        Case{{1, 1, 1}, "1"}, Case{{1, 1, 1}, "1x1x1x1"}, Case{{2, 2, 2}, "2x2"},
        Case{{2, 2, 2}, "2x2x1"}, Case{{3, 3, 3}, "3x3"}, Case{{3, 5, 7}, "2x3x2"},
        Case{{5, 5, 5}, "5x5"}, Case{{7, 7, 7}, "7x7"}, Case{{7, 2, 1}, "3x2"},
        Case{{1, 16, 16}, "4x4x4"}, Case{{16, 1, 16}, "4x4x4"}, Case{{16, 16, 1}, "4x4x4"},
        Case{{16, 16, 16}, "4x4x4"}, Case{{16, 16, 16}, "2x3x5"}, Case{{16, 16, 16}, "256"},
        Case{{16, 16, 16}, "8x8x4m"}, Case{{4, 4, 4}, "2x2x2x2"}, Case{{9, 9, 9}, "2x2x2x2x2"},
        Case{{9, 9, 9}, "2x2x2mx2x2x2"}, Case{{11, 13, 17}, "3x4x5"},
        Case{{13, 13, 13}, "5mx5mx5m"}, Case{{25, 43, 73}, "3x2x4"}, Case{{31, 2, 29}, "4x1x6"},
        Case{{2, 64, 3}, "8x2x2"}, Case{{32, 8, 4}, "1x16x2"}, Case{{6, 10, 15}, "60"}));

TEST(VolumetricFft, TransformsAPlaneWaveIntoOnePeak) {
  const Index size{6, 5, 8};
  const Index wave{2, 3, 5};
  std::vector<Complex> array(240);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 5; ++j)
      for (std::int64_t k = 0; k < 8; ++k) {
        const double turns = static_cast<double>(wave[0] * i) / 6 +
                             static_cast<double>(wave[1] * j) / 5 +
                             static_cast<double>(wave[2] * k) / 8;
        array[testing::place(size, i, j, k)] = std::polar(1.0, 2 * std::numbers::pi * turns);
      }
  const auto run = transform(array, VolumetricPlan(size, Shape::parse("2x2x3"), {}));
  for (std::size_t at = 0; at < array.size(); ++at)
    EXPECT_NEAR(std::abs(run.result[at]), at == testing::place(size, 2, 3, 5) ? 240 : 0, 1e-11);
}

TEST(VolumetricFft, GivesEqualBitsForEveryOrderRoutingAndSeed) {
  const Index size{8, 9, 10};
  const std::vector<Complex> input = noise(size, 5);
  const VolumetricPlan plan(size, Shape::parse("2x3x2"), {});
  const auto reference = transform(input, plan);
  const auto other = transform(input, plan,
                               {.seed = 99,
                                .order = OrderRule::shift,
                                .routing = RoutingRule::deterministic,
                                .tie = TieRule::minus});
  EXPECT_EQ(reference.result, other.result);
  EXPECT_NE(reference.cycles, other.cycles);
}

TEST(VolumetricFft, TakesTheSameTimeTwice) {
  const Index size{12, 12, 12};
  const std::vector<Complex> input = noise(size, 6);
  const VolumetricPlan plan(size, Shape::parse("3x4x2"), {});
  EXPECT_EQ(transform(input, plan).cycles, transform(input, plan).cycles);
}

/// Multiplies by 2 for every axis that is transformed.
struct Doubling final : TransformLibrary {
  struct Transform final : LocalTransform {
    explicit Transform(const LocalShape& shape) : shape(shape) {}
    void run(const Complex* in, Complex* out) const override {
      const auto& [a, b, c] = shape.axes;
      double factor = 1;
      for (const LocalAxis& axis : shape.axes) factor *= axis.transformed ? 2 : 1;
      for (std::int64_t i = 0; i < a.length; ++i)
        for (std::int64_t j = 0; j < b.length; ++j)
          for (std::int64_t k = 0; k < c.length; ++k)
            out[i * a.out_stride + j * b.out_stride + k * c.out_stride] =
                factor * in[i * a.in_stride + j * b.in_stride + k * c.in_stride];
    }
    LocalShape shape;
  };
  std::unique_ptr<LocalTransform> plan(const LocalShape& shape, Sign, Rigor) const override {
    return std::make_unique<Transform>(shape);
  }
};

TEST(VolumetricFft, UsesAnotherTransformIfGivenOne) {
  const Index size{4, 3, 5};
  const std::vector<Complex> input = noise(size, 7);
  for (const char* torus : {"2x2x2", "2", "1x2", "1"}) {
    const auto run = transform(input, VolumetricPlan(size, Shape::parse(torus), {}, Doubling{}));
    for (std::size_t i = 0; i < input.size(); ++i) EXPECT_EQ(run.result[i], 8.0 * input[i]);
  }
}

/// All grids of extents 1 to 4, as tori of 1 to 3 dimensions, with and without return.
TEST(VolumetricFft, EqualsFftwOnEverySmallGrid) {
  for (const Index& size : {Index{4, 4, 4}, Index{5, 7, 3}, Index{8, 6, 9}, Index{2, 13, 16}}) {
    const std::vector<Complex> input = noise(size, 8);
    std::vector<Complex> expected = input;
    fftw_reference(size, Sign::forward, expected);
    for (unsigned grid = 0; grid < 64; ++grid) {
      std::string torus = std::to_string(grid / 16 + 1);
      if (grid % 16 != 0) torus.append("x").append(std::to_string(grid / 4 % 4 + 1));
      if (grid % 4 != 0) torus.append("x").append(std::to_string(grid % 4 + 1));
      const Shape shape = Shape::parse(torus);
      if (std::int64_t{shape.size()} >
          std::max({size[0] * size[1], size[1] * size[2], size[0] * size[2]}))
        continue;
      for (const bool back : {false, true}) {
        const VolumetricPlan plan(size, shape, {Sign::forward, back});
        EXPECT_LT(relative_error(transform(input, plan).result, expected), 1e-14) << torus;
      }
    }
  }
}

std::vector<std::string_view> names(const char* torus, bool back) {
  std::vector<std::string_view> names;
  for (const auto& phase : volumetric_phases(ProcessGrid(Shape::parse(torus)), back))
    names.push_back(phase.name);
  return names;
}

TEST(VolumetricPhases, TransformUnsplitAxesFirstAndTogether) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(names("2x2x2", true), (Names{"z", "y", "x", "return"}));
  EXPECT_EQ(names("2x2x1x2", false), (Names{"z", "y", "x"}));
  EXPECT_EQ(names("2x2", false), (Names{"z", "y", "x"}));
  EXPECT_EQ(names("2x1x1", true), (Names{"yz", "x", "return"}));
  EXPECT_EQ(names("2x1x3", false), (Names{"y", "z", "x"}));
  EXPECT_EQ(names("1x1x3", false), (Names{"xy", "z"}));
  EXPECT_EQ(names("1x1", true), (Names{"xyz"}));
}

TEST(VolumetricFft, GivesTheSameEveryTimeItIsRepeated) {
  const Index size{6, 7, 10};
  const std::vector<Complex> input = noise(size, 9);
  for (const char* torus : {"1", "2", "2x1x3", "3x2x2", "2x2x2x2"}) {
    const Shape shape = Shape::parse(torus);
    const auto once = transform(input, VolumetricPlan(size, shape, {Sign::forward, true}));
    const VolumetricPlan plan(size, shape, {Sign::forward, true, 4});
    const auto often = transform(input, plan);
    EXPECT_EQ(often.result, once.result) << torus;
    ASSERT_EQ(often.times.size(), 4 * once.times.size());
    for (std::size_t p = 0; p < often.times.size(); ++p) {
      EXPECT_LE(often.times[p].begin, often.times[p].exchanged);
      EXPECT_LT(often.times[p].begin, often.times[p].computed);
    }
    for (std::size_t p = 1; p < often.times.size();
         ++p)  // planes of a phase may leave before its end
      EXPECT_LE(often.times[p - 1].begin, often.times[p].begin);
  }
}

TEST(VolumetricPlan, PlansOncePerDistinctLocalShape) {
  EXPECT_EQ(VolumetricPlan({16, 16, 16}, Shape::parse("4x4x4"), {}).transforms(), 3u);
  EXPECT_EQ(VolumetricPlan({16, 16, 16}, Shape::parse("1"), {}).transforms(), 1u);
  EXPECT_EQ(VolumetricPlan({17, 16, 16}, Shape::parse("2x1x1"), {}).transforms(), 2u);  // a plane
}

TEST(VolumetricFft, RefusesMoreNodesThanAnyPhaseHasLines) {
  EXPECT_THROW(VolumetricPlan({4, 4, 4}, Shape::parse("17"), {}), BadInput);
  EXPECT_NO_THROW(VolumetricPlan({4, 4, 4}, Shape::parse("16"), {}));
  EXPECT_THROW(VolumetricPlan({2, 3, 1}, Shape::parse("7"), {}), BadInput);
}

}  // namespace
}  // namespace toroid
