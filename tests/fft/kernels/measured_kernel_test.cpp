#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "tests/pairwise.hpp"

namespace toroid::fft::local {
namespace {

/// Planes of rows x columns points, with gaps of `in_gap` and `out_gap` elements after each row.
struct Planes {
  std::int64_t planes, rows, columns;
  std::int64_t in_gap, out_gap;
};

/// A value that no transform of these tests gives.
constexpr double kUnused = 12345;

std::int64_t out_columns(const Planes& shape, Kind kind) {
  return kind == Kind::real_to_half ? shape.columns / 2 + 1 : shape.columns;
}

Work work_of(const Planes& shape, Kind kind, Precision precision) {
  const std::int64_t in = shape.columns + shape.in_gap;
  const std::int64_t out = out_columns(shape, kind) + shape.out_gap;
  Work work{{}, kind, precision, false, true};
  work.axes[0] = {shape.planes, shape.rows * in, shape.rows * out, false};
  work.axes[1] = {shape.rows, in, out, true};
  work.axes[2] = {shape.columns, 1, 1, true};
  return work;
}

template <typename Real>
std::span<Real> reals(LocalArray& array) {
  return {reinterpret_cast<Real*>(array.data()), array.size() * sizeof(Complex) / sizeof(Real)};
}

/// The reference's result for a plane. It comes from a single call of FFTW, which neither measures
/// nor cuts the plane.
std::vector<Complex> expected_plane(const Planes& shape, Kind kind, std::span<const double> rows) {
  const std::array size = {shape.rows, shape.columns};
  const auto all = static_cast<std::size_t>(shape.rows * out_columns(shape, kind));
  std::vector<Complex> result(all);
  if (kind == Kind::real_to_half) {
    serial_reference(size, rows, result);
    return result;
  }
  for (std::size_t i = 0; i < all; ++i) result[i] = {rows[2 * i], rows[2 * i + 1]};
  serial_reference(size, kind == Kind::forward ? -1 : +1, std::span(result));
  return result;
}

/// The points of a plane without the gaps.
template <typename Real>
std::vector<double> dense_plane(const Planes& shape, Kind kind, std::span<const Real> in,
                                std::int64_t plane) {
  const std::int64_t parts = kind == Kind::real_to_half ? 1 : 2;
  std::vector<double> rows;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    const std::int64_t row = (plane * shape.rows + r) * (shape.columns + shape.in_gap) * parts;
    for (std::int64_t i = 0; i < shape.columns * parts; ++i)
      rows.push_back(in[static_cast<std::size_t>(row + i)]);
  }
  return rows;
}

template <typename Real>
void expect_row(std::span<const Real> got, std::span<const Complex> expected, double error) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(Complex(got[2 * i], got[2 * i + 1]) - expected[i]), error) << i;
  for (std::size_t i = 2 * expected.size(); i < got.size(); ++i)
    ASSERT_EQ(got[i], static_cast<Real>(kUnused)) << "written into a gap";
}

template <typename Real>
void expect_planes(const Planes& shape, Kind kind, std::span<const Real> in,
                   std::span<const Real> out) {
  const double error =
      64 * static_cast<double>(shape.rows + shape.columns) * std::numeric_limits<Real>::epsilon();
  const auto columns = static_cast<std::size_t>(out_columns(shape, kind));
  const std::size_t step = 2 * (columns + static_cast<std::size_t>(shape.out_gap));
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    const auto expected = expected_plane(shape, kind, dense_plane<Real>(shape, kind, in, plane));
    for (std::int64_t r = 0; r < shape.rows; ++r) {
      const auto row = static_cast<std::size_t>(plane * shape.rows + r);
      expect_row(out.subspan(row * step, step),
                 std::span(expected).subspan(static_cast<std::size_t>(r) * columns, columns),
                 error);
    }
  }
}

template <typename Real>
void try_planes(LibraryName name, const Planes& shape, Kind kind, Precision precision) {
  const Work work = work_of(shape, kind, precision);
  const auto rows = static_cast<std::size_t>(shape.planes * shape.rows);
  LocalArray in(rows * static_cast<std::size_t>(shape.columns + shape.in_gap));
  LocalArray out(rows * static_cast<std::size_t>(shape.columns + shape.out_gap));
  const std::span<Real> given = reals<Real>(in), got = reals<Real>(out);
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i] = static_cast<Real>(i * i % 1009) / 1009 - static_cast<Real>(0.5);
  std::ranges::fill(got, static_cast<Real>(kUnused));
  const std::vector<Real> before(given.begin(), given.end());
  library(name).plan(work, Rigor::measure)->run(in.data(), out.data());
  expect_planes<Real>(shape, kind, given, got);
  EXPECT_TRUE(std::ranges::equal(given, before)) << "the input has changed";
}

/// Compares both libraries with references that FFTW has computed.
class MeasuredKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has(LibraryName::fftw)) GTEST_SKIP() << "built without FFTW";
  }
  static void try_planes(const Planes& shape);
};

void MeasuredKernel::try_planes(const Planes& shape) {
  constexpr std::array kKinds = {Kind::forward, Kind::inverse, Kind::real_to_half};
  for (const auto& row : testing::combinations({kKinds.size(), 2, 2})) {
    const Kind kind = kKinds[row[0]];
    SCOPED_TRACE(fmt::format("{} planes of {}x{} of kind {}", shape.planes, shape.rows,
                             shape.columns, static_cast<int>(kind)));
    const LibraryName name = row[1] == 0 ? LibraryName::fftw : LibraryName::kissfft;
    if (row[2] == 0)
      local::try_planes<double>(name, shape, kind, Precision::double_);
    else
      local::try_planes<float>(name, shape, kind, Precision::single);
  }
}

TEST_F(MeasuredKernel, TransformsPlanesLineByLineThenInPlace) {
  try_planes({1, 128, 128, 0, 8});
  try_planes({3, 64, 128, 8, 8});
}

TEST_F(MeasuredKernel, TransformsPlanesThatTilesDoNotDivide) {
  try_planes({2, 97, 96, 0, 8});
  try_planes({2, 60, 160, 4, 0});
  try_planes({2, 127, 145, 3, 5});
}

TEST_F(MeasuredKernel, TransformsPlanesOfOneRowOrColumn) {
  try_planes({50, 1, 256, 0, 8});
  try_planes({50, 256, 1, 0, 0});
}

TEST_F(MeasuredKernel, TransformsPlanesLargerThanTheSecondLevelCache) {
  try_planes({1, 512, 512, 0, 8});
}

/// Lines that lie one after the other also run in tiles if they are transformed in place.
TEST_F(MeasuredKernel, TransformsManyContiguousLinesInPlace) {
  constexpr std::int64_t kLines = 96, kLength = 128;
  Work work;
  work.axes[0] = {kLines, kLength + 8, kLength + 8, false};
  work.axes[1] = {kLength, 1, 1, true};
  LocalArray array(static_cast<std::size_t>(kLines * (kLength + 8)));
  const std::span<Complex> all = array;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<double>(i * i % 1009), 1};
  std::vector<Complex> expected(all.begin(), all.end());
  const std::array size = {kLength};
  for (std::int64_t line = 0; line < kLines; ++line)
    serial_reference(size, -1,
                     std::span(expected).subspan(static_cast<std::size_t>(line * (kLength + 8)),
                                                 static_cast<std::size_t>(kLength)));
  library(LibraryName::fftw).plan(work, Rigor::measure)->run(array.data(), array.data());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_LE(std::abs(all[i] - expected[i]), 1e-9) << i;
}

}  // namespace
}  // namespace toroid::fft::local
