#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tests/fft/kernels/every_library.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft::local {
namespace {

using testing::Exact;

struct Named {
  Kind kind;
  TransformKind transform;
  Sign sign;
};
constexpr std::array<Named, 7> kRealKinds = {{{Kind::dct_2, TransformKind::dct, Sign::forward},
                                              {Kind::dct_3, TransformKind::dct, Sign::inverse},
                                              {Kind::dst_2, TransformKind::dst, Sign::forward},
                                              {Kind::dst_3, TransformKind::dst, Sign::inverse},
                                              {Kind::dht, TransformKind::dht, Sign::forward},
                                              {Kind::dht, TransformKind::dht, Sign::inverse},
                                              {Kind::wht, TransformKind::wht, Sign::forward}}};

/// An array of 1 to 3 axes, of which one is transformed, laid out with gaps and in any order.
struct Array {
  std::vector<std::int64_t> lengths;
  std::size_t line = 0;  ///< the transformed axis
  std::vector<std::int64_t> in_strides, out_strides;
  std::int64_t in_extent = 1, out_extent = 1;
};

class RandomArray {
 public:
  RandomArray(std::int64_t points, bool in_place, unsigned seed) : engine_(seed) {
    array_.lengths = {points};
    for (std::size_t axes = engine_() % 3; axes > 0; --axes)
      array_.lengths.push_back(1 + static_cast<std::int64_t>(engine_() % 40));
    std::shuffle(array_.lengths.begin(), array_.lengths.end(), engine_);
    array_.line = static_cast<std::size_t>(std::ranges::find(array_.lengths, points) -
                                           array_.lengths.begin());
    lay_out(array_.in_strides, array_.in_extent);
    lay_out(array_.out_strides, array_.out_extent);
    if (!in_place) return;
    array_.out_strides = array_.in_strides;
    array_.out_extent = array_.in_extent;
  }
  const Array& array() const { return array_; }

 private:
  void lay_out(std::vector<std::int64_t>& strides, std::int64_t& extent) {
    std::vector<std::size_t> order(array_.lengths.size());
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = a;
    std::shuffle(order.begin(), order.end(), engine_);
    strides.resize(order.size());
    for (const std::size_t axis : order) {
      strides[axis] = extent;
      extent = extent * array_.lengths[axis] + static_cast<std::int64_t>(engine_() % 3);
    }
  }
  std::mt19937 engine_;
  Array array_;
};

std::size_t place(const Array& array, const std::vector<std::int64_t>& strides, std::size_t dense) {
  auto rest = static_cast<std::int64_t>(dense);
  std::int64_t at = 0;
  for (std::size_t a = array.lengths.size(); a-- > 0; rest /= array.lengths[a])
    at += rest % array.lengths[a] * strides[a];
  return static_cast<std::size_t>(at);
}

std::vector<Exact> by_definition(const Array& array, const Named& named, std::vector<Exact> dense) {
  std::size_t stride = 1;
  for (std::size_t a = array.line + 1; a < array.lengths.size(); ++a)
    stride *= static_cast<std::size_t>(array.lengths[a]);
  testing::reference_transform(
      {static_cast<std::size_t>(array.lengths[array.line]), named.transform, named.sign}, stride,
      dense);
  return dense;
}

Work work_on(const Array& array, const Named& named, Precision precision, bool in_place) {
  Work work{{}, named.kind, precision, in_place, true};
  for (std::size_t a = 0; a < array.lengths.size(); ++a)
    work.axes[a] = {array.lengths[a], array.in_strides[a], array.out_strides[a], a == array.line};
  return work;
}

template <typename Real>
void expect_right(const Library& library, const Array& array, const Named& named, bool in_place,
                  Rigor rigor) {
  std::size_t elements = 1;
  for (const std::int64_t n : array.lengths) elements *= static_cast<std::size_t>(n);
  const auto values = testing::noise_of<float>(elements, 5);
  const auto expected =
      by_definition(array, named, std::vector<Exact>(values.begin(), values.end()));
  constexpr Real kUnused = 12345;
  LocalArray in_memory(static_cast<std::size_t>(array.in_extent));
  LocalArray out_memory(static_cast<std::size_t>(array.out_extent));
  Real* const in = in_memory.as<Real>();
  Real* const out = in_place ? in : out_memory.as<Real>();
  std::fill_n(in, array.in_extent, kUnused);
  std::fill_n(out, array.out_extent, kUnused);
  for (std::size_t i = 0; i < elements; ++i) in[place(array, array.in_strides, i)] = values[i];
  constexpr Precision kPrecision =
      std::is_same_v<Real, float> ? Precision::single : Precision::double_;
  library.plan(work_on(array, named, kPrecision, in_place), rigor)->run(in, out);
  const std::vector<std::int64_t>& strides = array.out_strides;
  std::vector<Exact> result;
  for (std::size_t i = 0; i < elements; ++i) result.push_back(out[place(array, strides, i)]);
  EXPECT_LE(testing::relative_l2(result, expected), 4 * std::numeric_limits<Real>::epsilon());
  EXPECT_EQ(std::count(out, out + array.out_extent, kUnused),
            array.out_extent - static_cast<std::int64_t>(elements))
      << "a kernel has written into a gap";
}

class RealKernels : public testing::EveryLibrary {
 protected:
  static void expect_right_of_length(std::int64_t points, Rigor rigor) {
    const bool is_power = (points & (points - 1)) == 0;
    for (const Named& named : kRealKinds) {
      if (named.kind == Kind::wht && !is_power) continue;
      for (const bool in_place : {false, true}) {
        const Array array =
            RandomArray(points, in_place, static_cast<unsigned>(7 * points)).array();
        SCOPED_TRACE(fmt::format("{} points, kind {}, {}", points, static_cast<int>(named.kind),
                                 in_place ? "in place" : "from array to array"));
        expect_right<double>(library(), array, named, in_place, rigor);
        expect_right<float>(library(), array, named, in_place, rigor);
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Of, RealKernels, ::testing::ValuesIn(RealKernels::names()),
                         RealKernels::text_of);

TEST_P(RealKernels, AreRightForAnyLengthAndLayout) {
  for (std::int64_t points = 1; points <= 34; ++points)
    expect_right_of_length(points, Rigor::estimate);
  for (const std::int64_t points : {64, 96, 97, 210, 256})
    expect_right_of_length(points, Rigor::estimate);
}

TEST_P(RealKernels, AreRightIfTheyAreMeasured) {
  for (const std::int64_t points : {2, 15, 64}) expect_right_of_length(points, Rigor::measure);
}

TEST_P(RealKernels, KeepLinesApart) {
  Work work{{}, Kind::dct_2, Precision::double_, true, true};
  work.axes[0] = {8, 1, 1, true};
  work.axes[1] = {3, 8, 8, false};
  LocalArray memory(12);
  double* const lines = memory.as<double>();
  std::fill_n(lines, 24, 1.0);
  lines[9] = std::numeric_limits<double>::quiet_NaN();
  library().plan(work, Rigor::estimate)->run(lines, lines);
  EXPECT_EQ(lines[0], 8);
  EXPECT_EQ(lines[16], 8);
  EXPECT_TRUE(std::isnan(lines[8]));
}

}  // namespace
}  // namespace toroid::fft::local
