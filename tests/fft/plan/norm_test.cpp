// The scales of Description::norm.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/norm.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using testing::noise_of;
using testing::simulate;

constexpr std::array kNorms = {Norm::paper, Norm::backward, Norm::ortho, Norm::forward};
constexpr std::array kTransforms = {TransformKind::dft, TransformKind::dct, TransformKind::dst,
                                    TransformKind::dht};

Description described(Method method, TransformKind kind, Norm norm) {
  Description d{.size = {4, 2, 6}, .method = method, .norm = norm};
  d.kinds.fill(kind);
  return d;
}

const char* torus_of(Method method) {
  return method == Method::orbital ? "2x2x2" : "2";
}

/// run.back has been divided by N; this undoes it unless the norm is `paper`.
double of_back(const Description& d) {
  return d.norm == Norm::paper ? 1 : 48;
}

TEST(Norm, BackwardUndoesForwardByEveryMethodAndKind) {
  const auto input = noise_of<Complex>(48, 3);
  for (const Method method : {Method::volumetric, Method::slab, Method::rows, Method::orbital})
    for (const TransformKind kind : kTransforms)
      for (const Norm norm : kNorms) {
        const Description d = described(method, kind, norm);
        const auto run = simulate<Complex, Complex>(torus_of(method), d, input);
        EXPECT_LT(testing::relative_l2(testing::exactly<Complex>(run.back),
                                       testing::exactly<Complex>(input), 1 / of_back(d)),
                  1e-15);
      }
}

TEST(Norm, OrthoKeepsTheLengthOfEveryVector) {
  const auto input = noise_of<Complex>(48, 4);
  const auto length = [](const std::vector<Complex>& values) {
    double sum = 0;
    for (const Complex& value : values) sum += std::norm(value);
    return std::sqrt(sum);
  };
  for (const Method method : {Method::volumetric, Method::orbital})
    for (const TransformKind kind : kTransforms) {
      const Description d = described(method, kind, Norm::ortho);
      const auto run = simulate<Complex, Complex>(torus_of(method), d, input);
      EXPECT_NEAR(length(run.result), length(input), 1e-13);
    }
}

TEST(Norm, BackwardIsTwiceThePapersDctPerAxis) {
  const auto input = noise_of<Complex>(48, 5);
  const auto paper = simulate<Complex, Complex>(
      "2", described(Method::rows, TransformKind::dct, Norm::paper), input);
  const auto numpy = simulate<Complex, Complex>(
      "2", described(Method::rows, TransformKind::dct, Norm::backward), input);
  for (std::size_t i = 0; i < 48; ++i)
    EXPECT_LT(std::abs(numpy.result[i] - 8.0 * paper.result[i]), 1e-13);
}

TEST(Norm, HasTheFactorsOfItsDefinition) {
  Description d = described(Method::rows, TransformKind::dst, Norm::forward);
  EXPECT_DOUBLE_EQ(norm_factor(d, Way::forward), 1.0 / 48);
  EXPECT_EQ(norm_factor(d, Way::backward), 1);
  d.norm = Norm::ortho;
  EXPECT_DOUBLE_EQ(norm_factor(d, Way::forward), std::sqrt(8.0 / 48));
  EXPECT_DOUBLE_EQ(norm_factor(d, Way::backward), 1 / std::sqrt(8.0 * 48));
  d.size = {1, 1, 1};
  EXPECT_EQ(norm_factor(d, Way::forward), 1);
  d.norm = Norm::paper;
  EXPECT_EQ(undoing_scale(d), Scale::by_n);
}

}  // namespace
}  // namespace toroid::fft
