// Pictures of arrays, compared with pixels computed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/host_array.hpp"
#include "tools/report/array_slices.hpp"
#include "tools/report/checked_json.hpp"
#include "tools/report/slice.hpp"
#include "tools/text/json.hpp"

namespace toroid::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pixels = std::vector<std::uint8_t>;

HostArray host_array(const Size& size, const Values& values, std::int64_t batch = 1) {
  return {size, batch, values};
}

SpectrumOrder dft_order(std::size_t axes, std::int64_t half_of = 0) {
  return {std::vector<fft::TransformKind>(axes, fft::TransformKind::dft), half_of};
}

/// The pixel of a number on the scale from min to max.
std::uint8_t byte_of(double number, double min, double max) {
  return static_cast<std::uint8_t>(std::lround(255 * (number - min) / (max - min)));
}

TEST(Slices, AreTheMiddlePlanesOfEachAxis) {
  const HostArray array = host_array({3, 4, 5}, some_values(60, false));
  const auto at = [&](std::size_t x, std::size_t y, std::size_t z) {
    return array.values[(x * 4 + y) * 5 + z].real();
  };
  std::vector<std::vector<double>> planes(3);
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t z = 0; z < 5; ++z) planes[0].push_back(at(1, y, z));
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t z = 0; z < 5; ++z) planes[1].push_back(at(x, 2, z));
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t y = 0; y < 4; ++y) planes[2].push_back(at(x, y, 2));
  double min = HUGE_VAL;
  double max = -HUGE_VAL;
  for (const auto& plane : planes)
    for (const double number : plane) min = std::min(min, number), max = std::max(max, number);

  const std::vector<Slice> slices = density_slices(array);
  ASSERT_EQ(slices.size(), 3u);
  for (unsigned axis = 0; axis < 3; ++axis) {
    Pixels expected;
    for (const double number : planes[axis]) expected.push_back(byte_of(number, min, max));
    EXPECT_EQ(slices[axis].pixels, expected) << axis;
    EXPECT_EQ(slices[axis].kind, "density");
    EXPECT_EQ(slices[axis].axis, axis);
    EXPECT_EQ(slices[axis].min, min);
    EXPECT_EQ(slices[axis].max, max);
    EXPECT_FALSE(slices[axis].log);
  }
  EXPECT_EQ(slices[0].where, "x = 1");
  EXPECT_EQ(slices[1].where, "y = 2");
  EXPECT_EQ(slices[2].rows + slices[2].columns, "xy");
  EXPECT_EQ(slices[1].width, 5u);
  EXPECT_EQ(slices[1].height, 3u);
}

TEST(Slices, OfComplexNumbersShowMagnitudes) {
  const std::vector<Slice> slices = density_slices(host_array({1, 3}, {{3, 4}, {0, -10}, {0, 0}}));
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].unit, "magnitude");
  EXPECT_THAT(slices[0].pixels, ElementsAre(128, 255, 0));
}

TEST(Slices, HaveTheZeroFrequencyInTheMiddle) {
  Values values(4 * 5 * 6, 1);
  values[0] = 1000;
  values[1 * 30] = 100;  // kx = 1
  values[3 * 30] = -10;  // kx = -1
  values[1 * 6] = {0, 1};
  const std::vector<Slice> slices = spectrum_slices(host_array({4, 5, 6}, values), dft_order(3));
  ASSERT_EQ(slices.size(), 3u);
  const Slice& slice = slices[2];  // kz = 0: kx downwards, ky to the right
  EXPECT_EQ(slice.where, "kz = 0");
  EXPECT_EQ(slice.index, 0u);
  EXPECT_TRUE(slice.log);
  EXPECT_DOUBLE_EQ(slice.min, 0);
  EXPECT_DOUBLE_EQ(slice.max, 3);
  Pixels expected(4 * 5, 0);
  expected[2 * 5 + 2] = 255;
  expected[3 * 5 + 2] = 170;
  expected[1 * 5 + 2] = 85;
  EXPECT_EQ(slice.pixels, expected);
}

/// Computes the spectrum by its defining sum.
Values spectrum_of(const Values& values, const std::vector<std::size_t>& n) {
  Values spectrum(values.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    for (std::size_t i = 0; i < values.size(); ++i) {
      double turns = 0;
      std::size_t stride = values.size();
      for (const std::size_t points : n) {
        stride /= points;
        turns += static_cast<double>(k / stride % points * (i / stride % points)) /
                 static_cast<double>(points);
      }
      spectrum[k] += values[i] * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  return spectrum;
}

/// Expects equal pixels, except for rounding by one.
void expect_close(const Pixels& a, const Pixels& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1) << i;
}

TEST(Slices, OfAHalfSpectrumEqualThoseOfTheWhole) {
  for (const std::size_t last : {5u, 6u, 1u, 2u}) {
    Values values(3 * 4 * last);  // chosen so that no sum is zero up to rounding
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(1.7 * static_cast<double>(i * i + 1));
    const Values whole = spectrum_of(values, {3, 4, last});
    Values half;
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (i % last <= last / 2) half.push_back(whole[i]);
    const auto points = static_cast<std::int64_t>(last);
    const auto expected = spectrum_slices(host_array({3, 4, points}, whole), dft_order(3));
    const auto slices =
        spectrum_slices(host_array({3, 4, points / 2 + 1}, half), dft_order(3, points));
    ASSERT_EQ(slices.size(), expected.size());
    for (std::size_t s = 0; s < slices.size(); ++s) {
      EXPECT_EQ(slices[s].width, expected[s].width);
      expect_close(slices[s].pixels, expected[s].pixels);
    }
  }
}

TEST(Slices, BeginWithTheLowestFrequencyOnAxesWithoutNegativeFrequencies) {
  for (const fft::TransformKind kind : {fft::TransformKind::dct, fft::TransformKind::wht}) {
    Values values(8, 1);
    values[0] = 100;
    values[3] = 10;  // row 0, column 3
    const auto slices = spectrum_slices(host_array({2, 4}, values), {{kind, kind}, 0});
    ASSERT_EQ(slices.size(), 1u);
    EXPECT_THAT(slices[0].pixels, ElementsAre(255, 0, 0, 128, 0, 0, 0, 0));
  }
  const auto mixed = spectrum_slices(host_array({2, 4}, {1, 1, 1, 1, 1, 10, 1, 1}),
                                     {{fft::TransformKind::dct, fft::TransformKind::dht}, 0});
  EXPECT_THAT(mixed[0].pixels, ElementsAre(0, 0, 0, 0, 0, 0, 0, 255));
}

TEST(Slices, OfMoreThanThreeAxesFixTheLeadingOnesAtTheirMiddle) {
  Values values(3 * 2 * 2 * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto slices = density_slices(host_array({3, 2, 2, 2}, values));
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].where, "axis 0 = 1, axis 1 = 1");
  EXPECT_EQ(slices[0].rows, "axis 2");
  EXPECT_EQ(slices[0].min, 9);  // (1,0,0,1), in the plane that fixes the last axis
  EXPECT_EQ(slices[0].max, 15);
  EXPECT_THAT(slices[0].pixels,
              ElementsAre(byte_of(12, 9, 15), byte_of(13, 9, 15), byte_of(14, 9, 15), 255));
}

TEST(Slices, OfALineAreOneRow) {
  const auto slices = density_slices(host_array({4}, {0, 1, 2, 3}));
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].height, 1u);
  EXPECT_EQ(slices[0].where, "");
  EXPECT_EQ(slices[0].columns, "x");
  EXPECT_THAT(slices[0].pixels, ElementsAre(0, 85, 170, 255));
}

TEST(Slices, ReduceBlocksOfLongArraysToMeanOrMaximum) {
  Values values(2 * 600);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 600 % 3 == 1 ? 1000.0 : 10.0;
  values[600] = 700;  // first element of the second row
  const HostArray array = host_array({2, 600}, values);
  const Slice mean = density_slices(array).front();
  EXPECT_EQ(mean.block, 3u);
  EXPECT_EQ(mean.width, 200u);
  EXPECT_EQ(mean.height, 1u);
  EXPECT_EQ(mean.reduced_by, "mean");
  EXPECT_DOUBLE_EQ(mean.min, 340);
  EXPECT_DOUBLE_EQ(mean.max, 340 + 690.0 / 6);
  EXPECT_EQ(mean.pixels[0], 255);
  const Slice most =
      spectrum_slices(array, {{fft::TransformKind::wht, fft::TransformKind::wht}, 0}).front();
  EXPECT_EQ(most.reduced_by, "max");
  EXPECT_DOUBLE_EQ(most.max, 3);
  EXPECT_EQ(density_slices(host_array({256, 1}, Values(256))).front().block, 1u);
  const Slice edge = density_slices(host_array({257, 3}, Values(771, 7))).front();
  EXPECT_EQ(edge.height, 129u);  // the last block is a half one
  EXPECT_DOUBLE_EQ(edge.min, 7);
  EXPECT_DOUBLE_EQ(edge.max, 7);
}

TEST(Slices, ShowTheFirstArrayOfABatch) {
  const auto slices = density_slices(host_array({3}, {1, 2, 3, 100, 200, 300}, 2));
  EXPECT_EQ(slices[0].max, 3);
  EXPECT_EQ(slices[0].width, 3u);
}

TEST(Slices, HaveAFiniteScaleForAnyNumbers) {
  const auto zero = spectrum_slices(host_array({2, 2}, Values(4)), dft_order(2));
  EXPECT_FALSE(zero[0].log);
  EXPECT_THAT(zero[0].pixels, Each(0));
  const auto some = spectrum_slices(host_array({4}, {0, 1e-30, 1, 1e10}), dft_order(1));
  EXPECT_DOUBLE_EQ(some[0].max, 10);
  EXPECT_DOUBLE_EQ(some[0].min, -6);
  EXPECT_THAT(some[0].pixels, ElementsAre(byte_of(0, -6, 10), 255, 0, 0));
  const double overflow = HUGE_VAL;
  for (const Slice& slice : {density_slices(host_array({3}, {0, overflow, -overflow})).front(),
                             density_slices(host_array({2}, {0, std::nan("")})).front(),
                             spectrum_slices(host_array({2}, {1, overflow}), dft_order(1)).front()})
    EXPECT_TRUE(std::isfinite(slice.min) && std::isfinite(slice.max)) << slice.max;
}

TEST(Slices, NumberFrequenciesAsTheyAreDrawn) {
  using Kind = fft::TransformKind;
  const HostArray array = host_array({4, 5, 600}, some_values(4 * 5 * 600, true));
  const SpectrumOrder mixed{{Kind::dct, Kind::dft, Kind::dht}};
  const Slice slice = spectrum_slices(array, mixed)[0];  // kx is fixed
  EXPECT_EQ(slice.first_row, -2);
  EXPECT_EQ(slice.row_count, 5u);
  EXPECT_EQ(slice.first_column, -300);
  EXPECT_EQ(slice.column_count, 600u);
  EXPECT_EQ(slice.block, 3u);
  const Slice other = spectrum_slices(array, mixed)[2];  // kz is fixed
  EXPECT_EQ(other.first_row, 0);
  EXPECT_EQ(other.first_column, -2);
  const Slice density = density_slices(array)[0];
  EXPECT_EQ(density.first_column, 0);
  EXPECT_EQ(density.column_count, 600u);
}

TEST(Slices, RoundTripThroughJson) {
  const Values values = some_values(3 * 300, true);
  for (const Slice& slice : density_slices(host_array({3, 300}, values))) {
    const Json json = slice.to_json();
    const Slice back = Slice::from_json(JsonPlace(json, "r.json"));
    EXPECT_EQ(back.to_json(), json);
    EXPECT_EQ(back.pixels, slice.pixels);
  }
}

TEST(Slices, AreRefusedIfDamaged) {
  const Json good = density_slices(host_array({3, 4, 5}, some_values(60, true)))[1].to_json();
  const auto expect_refused_with = [&](const char* key, const Json& value, const char* words) {
    Json bad = good;
    bad[key] = value;
    try {
      (void)Slice::from_json(JsonPlace(bad, "r.json"));
      ADD_FAILURE() << key << " was accepted";
    } catch (const BadInput& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("r.json: expected ") + words));
    }
  };
  expect_refused_with("kind", "energy", "kind to be density, spectrum or potential");
  expect_refused_with("axis", 3u, "axis to be a whole number from 0 to 2");
  expect_refused_with("width", 6u, "pixels to be 18 packed values");
  expect_refused_with("height", 257u, "height to be a whole number from 1 to 256");
  expect_refused_with("pixels", "AAAA", "pixels to be 15 packed values");
  expect_refused_with("min", nullptr, "min to be a number, not missing");
  expect_refused_with("log", 1, "log to be true or false");
}

}  // namespace
}  // namespace toroid::testing
