#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "fft/orbital/coefficients.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using testing::Exact;
using testing::ReferenceAxis;
using enum TransformKind;

/// A bound on the rounding error of a long double between -2 and 2.
constexpr double kRounding = 2.2e-19;

TEST(Coefficients, FollowTheDefinitions) {
  for (const TransformKind kind : {dft, dct, dht, wht, dst})
    for (const Sign sign : {Sign::forward, Sign::inverse})
      for (const std::size_t size : {1u, 2u, 8u, 7u, 12u, 64u}) {
        if (kind == wht && (size & (size - 1)) != 0) continue;
        const ReferenceAxis axis{size, kind, sign};
        for (std::size_t in = 0; in < size; ++in)
          for (std::size_t out = 0; out < size; ++out) {
            const Exact difference =
                coefficient(kind, sign, static_cast<std::int64_t>(size),
                            static_cast<std::int64_t>(in), static_cast<std::int64_t>(out)) -
                testing::reference_coefficient(axis, in, out);
            EXPECT_LT(std::abs(difference), 8 * kRounding);
          }
      }
}

TEST(Coefficients, AreExactForQuarterTurns) {
  EXPECT_EQ(coefficient(dft, Sign::forward, 4, 1, 1), Exact(0, -1));
  EXPECT_EQ(coefficient(dft, Sign::inverse, 4, 1, 1), Exact(0, 1));
  EXPECT_EQ(coefficient(dft, Sign::forward, 1000, 500, 3), Exact(-1, 0));
  EXPECT_EQ(coefficient(dct, Sign::forward, 3, 1, 1), Exact(0, 0));
  EXPECT_EQ(coefficient(dht, Sign::forward, 8, 2, 1), Exact(-1, 0));
}

TEST(Coefficients, KeepTheirPrecisionForLargeIndices) {
  const std::int64_t size = 1'000'003;
  const Exact near = coefficient(dft, Sign::forward, size, 1, 5);
  EXPECT_EQ(coefficient(dft, Sign::forward, size, size - 1, size - 5), near);
}

TEST(Coefficients, TimesTheInverseAreNTimesTheIdentity) {
  for (const TransformKind kind : {dft, dct, dht, wht, dst})
    for (const std::int64_t size : {1, 2, 16, 9}) {
      if (kind == wht && size == 9) continue;
      for (std::int64_t i = 0; i < size; ++i)
        for (std::int64_t j = 0; j < size; ++j) {
          Exact sum = 0;
          for (std::int64_t k = 0; k < size; ++k)
            sum += coefficient(kind, Sign::forward, size, i, k) *
                   coefficient(kind, Sign::inverse, size, k, j);
          EXPECT_LT(std::abs(sum - Exact(i == j ? size : 0)), 32 * kRounding * 16);
        }
    }
}

AxisTransform matrix_of(std::int64_t size, const std::vector<std::complex<double>>& values) {
  return std::make_shared<const SquareMatrix>("test", size, values);
}

TEST(Coefficients, AreMatrixElementsAtResultRowAndInputColumn) {
  const AxisTransform matrix = matrix_of(2, {1, 2, {3, 4}, 5});
  EXPECT_EQ(coefficient(matrix, Sign::forward, 2, 1, 0), Exact(2));
  EXPECT_EQ(coefficient(matrix, Sign::forward, 2, 0, 1), Exact(3, 4));
  EXPECT_TRUE(has_complex_coefficients(matrix));
  EXPECT_FALSE(has_complex_coefficients(matrix_of(1, {7})));
  EXPECT_EQ(name_of(matrix), "matrix test");
}

TEST(Coefficients, EqualTheDftsForAFourierMatrixInBothDirections) {
  const std::int64_t size = 6;
  std::vector<std::complex<double>> values;
  for (std::int64_t k = 0; k < size; ++k)
    for (std::int64_t n = 0; n < size; ++n)
      values.emplace_back(coefficient(dft, Sign::forward, size, n, k));
  const AxisTransform matrix = matrix_of(size, values);
  for (const Sign sign : {Sign::forward, Sign::inverse})
    for (std::int64_t in = 0; in < size; ++in)
      for (std::int64_t out = 0; out < size; ++out)
        EXPECT_LT(std::abs(coefficient(matrix, sign, size, in, out) -
                           coefficient(dft, sign, size, in, out)),
                  1e-14);
}

}  // namespace
}  // namespace toroid::fft
