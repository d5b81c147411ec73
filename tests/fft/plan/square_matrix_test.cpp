// A user-defined matrix and its inverse.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fft/plan/square_matrix.hpp"
#include "hal/check.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using testing::Exact;
using Values = std::vector<std::complex<double>>;

std::string refusal_of_matrix(std::int64_t size, const Values& values) {
  try {
    const SquareMatrix matrix("m", size, values);
    (void)matrix.inverse_at(0, 0);
  } catch (const BadInput& refused) {
    return refused.what();
  }
  return "nothing refused";
}

TEST(SquareMatrix, InvertsASmallMatrixAsByHand) {
  const SquareMatrix matrix("m", 2, {1, 2, 3, 4});
  const std::vector<Exact> expected = {-2, 1, 1.5, -0.5};
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_LT(std::abs(matrix.inverse_at(i / 2, i % 2) - expected[static_cast<std::size_t>(i)]),
              1e-18L);
}

TEST(SquareMatrix, InvertsAMatrixWithZerosOnItsDiagonal) {
  const SquareMatrix rotation("m", 3, {0, 1, 0, 0, 0, 1, 1, 0, 0});
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t column = 0; column < 3; ++column)
      EXPECT_EQ(rotation.inverse_at(row, column), rotation.at(column, row));
}

TEST(SquareMatrix, TimesItsInverseIsTheIdentity) {
  for (const std::int64_t size : {1, 2, 7, 20}) {
    const auto count = static_cast<std::size_t>(size * size);
    const SquareMatrix matrix("m", size, testing::noise_of<std::complex<double>>(count, 3));
    for (std::int64_t row = 0; row < size; ++row)
      for (std::int64_t column = 0; column < size; ++column) {
        Exact sum = 0;
        for (std::int64_t k = 0; k < size; ++k)
          sum += matrix.at(row, k) * matrix.inverse_at(k, column);
        EXPECT_LT(std::abs(sum - Exact(row == column ? 1 : 0)), 1e-15L);
      }
  }
}

TEST(SquareMatrix, InvertsAMatrixWhoseRowsAndColumnsDifferInScale) {
  const SquareMatrix rows("m", 2, {1e16, 2e16, 3, 4});
  EXPECT_NEAR(static_cast<double>(rows.inverse_at(0, 0).real() * 1e16L), -2, 1e-12);
  EXPECT_NEAR(static_cast<double>(rows.inverse_at(1, 1).real()), -0.5, 1e-12);
  const SquareMatrix columns("m", 2, {1e-20, 2, 3e-20, 4});
  EXPECT_NEAR(static_cast<double>(columns.inverse_at(0, 0).real() * 1e-20L), -2, 1e-12);
  EXPECT_NEAR(static_cast<double>(columns.inverse_at(1, 0).real()), 1.5, 1e-12);
}

TEST(SquareMatrix, RefusesToInvertASingularMatrix) {
  for (const Values& values : {Values{1, 2, 2, 4}, Values{0, 0, 0, 0}, Values{1, 0, 1e-17, 0},
                               Values{{0, 1}, 1, -1, {0, 1}}, Values{1, 1, 1, 1 + 1e-17}})
    EXPECT_EQ(refusal_of_matrix(2, values), "matrix m is singular: it has no inverse");
  EXPECT_EQ(refusal_of_matrix(2, {1, 0, 0, 1e-17}), "nothing refused");  // rows of different scales
  EXPECT_EQ(refusal_of_matrix(2, {1e-20, 0, 0, 1e-20}), "nothing refused");  // small, but regular
}

TEST(SquareMatrix, RefusesWrongCountsAndNonFiniteNumbers) {
  EXPECT_EQ(refusal_of_matrix(2, {1, 2, 3}), "matrix m: 3 numbers, expected 2 x 2");
  EXPECT_EQ(refusal_of_matrix(0, {}), "matrix m: 0 numbers, expected 0 x 0");
  EXPECT_EQ(refusal_of_matrix(-2, {1, 2, 3, 4}), "matrix m: 4 numbers, expected -2 x -2");
  EXPECT_EQ(refusal_of_matrix(std::int64_t{1} << 32, {}),
            "matrix m: 0 numbers, expected 4294967296 x 4294967296");
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_EQ(refusal_of_matrix(1, {{1, bad}}), "matrix m: an element is not finite");
}

}  // namespace
}  // namespace toroid::fft
