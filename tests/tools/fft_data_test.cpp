// Data of toroid fft: real and complex numbers, batches, precisions and scales.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/python.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

std::size_t volume(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// Transforms the lines of the last axis, of n elements, by the defining sum.
Values lines_transformed(const Values& values, std::size_t n) {
  Values result(values.size());
  for (std::size_t at = 0; at < values.size(); ++at)
    for (std::size_t i = 0; i < n; ++i)
      result[at] += values[at / n * n + i] *
                    std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(at % n * i) /
                                        static_cast<double>(n));
  return result;
}

/// Moves the last axis, of n elements, to the front.
Values turned(const Values& values, std::size_t n) {
  const std::size_t lines = values.size() / n;
  Values result(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) result[at % n * lines + at / n] = values[at];
  return result;
}

Values transformed(Values values, const Extents& shape) {
  for (std::size_t axis = shape.size(); axis-- > 0;)
    values = turned(lines_transformed(values, shape[axis]), shape[axis]);
  return values;
}

/// The first n/2 + 1 numbers of every line of the last axis, of n elements.
Values half_of(const Values& spectrum, std::size_t n) {
  Values half;
  for (std::size_t at = 0; at < spectrum.size(); ++at)
    if (at % n <= n / 2) half.push_back(spectrum[at]);
  return half;
}

const std::vector<Arguments> kMethods = {
    {"--method", "volumetric"}, {"--method", "slab", "--planes", "1"}, {"--method", "rows"}};
class FftData : public ::testing::Test {
 protected:
  void save(const std::string& name, const Extents& shape, const Values& values,
            NpyType type = NpyType::c16) {
    std::ostringstream file;
    write_npy(file, shape, values, type);
    directory_.save(name, file.str());
  }
  NpyArray result_of(const Arguments& more) {
    const Arguments run = {"fft", "--torus", "2", "--in", "in.npy", "--out", "out.npy"};
    const Ended ended = run_command(run + more, {.directory = directory_.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return read_npy(directory_ / "out.npy");
  }
  std::string type_of(const Arguments& more) { return result_of(more).dtype; }

  /// Transforms real numbers to their half spectrum and back.
  void expect_half_spectrum(const Extents& shape, const Arguments& method) {
    SCOPED_TRACE(::testing::PrintToString(shape) + ::testing::PrintToString(method));
    const Values values = some_values(volume(shape), false);
    save("in.npy", shape, values, NpyType::f8);
    const NpyArray half = result_of(method + Arguments{"--real"});
    Extents half_shape = shape;
    half_shape.back() = shape.back() / 2 + 1;
    EXPECT_EQ(half.shape, half_shape);
    EXPECT_LE(distance(half.values, half_of(transformed(values, shape), shape.back())), kTolerance);

    save("in.npy", half_shape, half.values);
    const std::string size = fmt::format("{}", fmt::join(shape, "x"));
    const Arguments back = {"--real", "--inverse", "--scale", "1/N", "--size", size};
    const NpyArray real = result_of(method + back);
    EXPECT_EQ(real.shape, shape);
    EXPECT_EQ(real.dtype, "<f8");
    EXPECT_LE(distance(real.values, values), kTolerance);
  }

  const TemporaryDirectory directory_;
};

TEST_F(FftData, ComplexResultMatchesTheDefiningSum) {
  const Extents shape = {4, 5, 6};
  const Values values = some_values(120, true);
  save("in.npy", shape, values);
  for (const Arguments& method : kMethods)
    EXPECT_LE(distance(result_of(method).values, transformed(values, shape)), kTolerance);
}

TEST_F(FftData, RealDataRoundTripsThroughItsHalfSpectrum) {
  for (const Arguments& method : kMethods)
    for (const Extents& shape : {Extents{4, 5, 6}, {4, 6, 5}, {3, 4, 2}, {2, 3, 1}})
      expect_half_spectrum(shape, method);
}

TEST_F(FftData, RealDataMatchesNumpy) {
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy";
  for (const Extents& shape : {Extents{4, 6, 5}, {3, 5, 8}}) {
    save("in.npy", shape, some_values(120, false), NpyType::f8);
    const Values ours = result_of({"--real"}).values;
    const std::string theirs = "cd " + directory_.path().string() + " && " + python +
                               " -c 'import numpy; numpy.save(\"numpy.npy\","
                               " numpy.fft.rfftn(numpy.load(\"in.npy\")))'";
    ASSERT_EQ(std::system(theirs.c_str()), 0);
    EXPECT_LE(distance(ours, read_npy(directory_ / "numpy.npy").values), kTolerance);
  }
}

TEST_F(FftData, HalfSpectrumGivesEvenLastAxisUnlessSizeIsGiven) {
  save("in.npy", {2, 2, 3}, some_values(12, false));
  EXPECT_EQ(result_of({"--real", "--inverse"}).shape, (Extents{2, 2, 4}));
  EXPECT_EQ(result_of({"--real", "--inverse", "--size", "2x2x5"}).shape, (Extents{2, 2, 5}));
  save("in.npy", {2, 2, 1}, some_values(4, false));
  EXPECT_EQ(result_of({"--real", "--inverse"}).shape, (Extents{2, 2, 1}));
}

TEST_F(FftData, ArraysOfOneOrTwoAxesAreTransformedByRowsUnlessAMethodIsGiven) {
  for (const Extents& shape : {Extents{7}, {4, 5}}) {
    const Values values = some_values(volume(shape), true);
    save("in.npy", shape, values);
    EXPECT_LE(distance(result_of({}).values, transformed(values, shape)), kTolerance);
    const Surroundings here = {.directory = directory_.path()};
    EXPECT_EQ(json_of({"fft", "--torus", "2", "--in", "in.npy"}, here)["method"], "rows");
    const std::string size = shape.size() == 1 ? "7x" : "4x5";
    EXPECT_EQ(json_of({"fft", "--torus", "2", "--size", size})["method"], "rows");
    const Arguments volumetric = {"fft", "--torus", "2", "--method", "volumetric"};
    expect_refusal(directory_, volumetric + Arguments{"--in", "in.npy"}, {"3 axes"});
    expect_refusal(directory_, volumetric + Arguments{"--size", size}, {"3 axes"});
  }
  EXPECT_EQ(json_of({"fft", "--torus", "2", "--size", "4"})["method"], "volumetric");
}

TEST_F(FftData, HalfSpectrumOfALineGivesAnOddLengthIfSizeSaysSo) {
  const Values values = some_values(7, false);
  save("in.npy", {7}, values, NpyType::f8);
  const NpyArray half = result_of({"--real"});
  EXPECT_EQ(half.shape, Extents{4});
  save("in.npy", {4}, half.values);
  for (const std::string size : {"7x", "7,", "7X"}) {
    const NpyArray real = result_of({"--real", "--inverse", "--scale", "1/N", "--size", size});
    EXPECT_EQ(real.shape, Extents{7});
    EXPECT_LE(distance(real.values, values), kTolerance);
  }
  expect_refusal(directory_,
                 {"fft", "--torus", "2", "--in", "in.npy", "--real", "--inverse", "--size", "9x"},
                 {"--size 9x, whose spectrum is 5x, does not fit in.npy, which is 4x"});
}

TEST_F(FftData, ResultTypeDependsOnOptionsAndNotOnTheInputsType) {
  const Arguments single = {"--precision", "single"};
  const Arguments inverse = {"--inverse"};
  const Arguments real = {"--real"};
  for (const NpyType type : {NpyType::f4, NpyType::f8, NpyType::c8, NpyType::c16}) {
    save("in.npy", {4, 4, 3}, some_values(48, false), type);
    EXPECT_EQ(type_of({}), "<c16");
    EXPECT_EQ(type_of(inverse), "<c16");
    EXPECT_EQ(type_of(single), "<c8");
    EXPECT_EQ(type_of(real), "<c16");
    EXPECT_EQ(type_of(real + single), "<c8");
    EXPECT_EQ(type_of(real + inverse), "<f8");
    EXPECT_EQ(type_of(real + inverse + single), "<f4");
  }
}

TEST_F(FftData, OrbitalResultOfRealInputIsReal) {
  save("in.npy", {4, 4, 4}, some_values(64, false), NpyType::f8);
  const Arguments run = {"--torus", "2x2x2",   "--method", "orbital", "--transform",
                         "dct",     "--check", "--in",     "in.npy"};
  for (const Arguments& way : {Arguments{}, {"--inverse"}}) {
    const Arguments all = Arguments{"fft"} + run + way + Arguments{"--real", "--out", "out.npy"};
    EXPECT_EQ(run_command(all, {.directory = directory_.path()}).exit_code, 0);
    const NpyArray result = read_npy(directory_ / "out.npy");
    EXPECT_EQ(result.dtype, "<f8");
    EXPECT_EQ(result.shape, (Extents{4, 4, 4}));
  }
}

TEST_F(FftData, BatchMatchesTransformsOfItsArrays) {
  const Extents shape = {3, 4, 5};
  const Values both = some_values(120, true);
  save("both.npy", {2, 3, 4, 5}, both);
  for (const Arguments& method : kMethods) {
    directory_.save("in.npy", directory_.content_of("both.npy"));
    const NpyArray result = result_of(method + Arguments{"--batch", "2"});
    EXPECT_EQ(result.shape, (Extents{2, 3, 4, 5}));
    for (const std::ptrdiff_t first : {0, 60}) {
      const Values one(both.begin() + first, both.begin() + first + 60);
      save("in.npy", shape, one);
      const Values part(result.values.begin() + first, result.values.begin() + first + 60);
      EXPECT_LE(distance(part, result_of(method).values), kTolerance);
    }
  }
}

TEST_F(FftData, RealBatchRoundTrips) {
  const Values values = some_values(2 * 60, false);
  save("in.npy", {2, 3, 4, 5}, values, NpyType::f4);
  const NpyArray half = result_of({"--real", "--batch", "2"});
  EXPECT_EQ(half.shape, (Extents{2, 3, 4, 3}));
  save("in.npy", half.shape, half.values);
  const NpyArray back =
      result_of({"--real", "--batch", "2", "--inverse", "--size", "3x4x5", "--scale", "1/N"});
  EXPECT_EQ(back.shape, (Extents{2, 3, 4, 5}));
  EXPECT_LE(distance(back.values, values), kTolerance);
}

TEST_F(FftData, IsScaledAsAsked) {
  save("in.npy", {2, 3, 4}, some_values(24, true));
  const Values plain = result_of({}).values;
  for (const auto& [scale, factor] :
       {std::pair{"none", 1.0}, {"1/N", 1 / 24.0}, {"1/sqrt(N)", 1 / std::sqrt(24.0)}}) {
    Values expected = plain;
    for (Complex& value : expected) value *= factor;
    EXPECT_LE(distance(result_of({"--scale", scale}).values, expected), kTolerance);
  }
}

TEST_F(FftData, BoxCutKeepsTheCentreOfTheSpectrum) {
  // Each axis has the frequencies 0, 1, -2, -1, of which 0 and -1 stay.
  const Values values = some_values(64, true);
  save("in.npy", {4, 4, 4}, values);
  const Values whole = transformed(values, {4, 4, 4});
  Values centre;
  for (const std::size_t x : {0U, 3U})
    for (const std::size_t y : {0U, 3U})
      for (const std::size_t z : {0U, 3U}) centre.push_back(whole[16 * x + 4 * y + z]);
  const NpyArray result = result_of({"--method", "slab", "--box-cut", "2"});
  EXPECT_EQ(result.shape, (Extents{2, 2, 2}));
  EXPECT_LE(distance(result.values, centre), kTolerance);
  save("in.npy", result.shape, result.values);
  EXPECT_EQ(result_of({"--method", "slab", "--box-cut", "2", "--inverse"}).shape,
            (Extents{4, 4, 4}));
}

TEST_F(FftData, InverseOfFractionalBoxCutGivesTheSmallestArray) {
  save("in.npy", {10, 10, 10}, some_values(1000, true));
  EXPECT_EQ(result_of({"--method", "slab", "--box-cut", "1.1", "--inverse"}).shape,
            (Extents{11, 11, 11}));
}

TEST_F(FftData, RowsTakesOneToSixAxes) {
  for (const Extents& shape :
       {Extents{12}, {4, 6}, {2, 3, 4}, {2, 3, 4, 2}, {3, 2, 2, 3, 2}, {2, 3, 2, 1, 3, 4}}) {
    const Values values = some_values(volume(shape), true);
    save("in.npy", shape, values);
    const Arguments rows = {"--method", "rows"};
    const Arguments one_node = {"fft",   "--torus", "1",        "--in", "in.npy",
                                "--out", "out.npy", "--method", "rows"};
    if (shape.size() == 1) {  // a single line cannot be divided among nodes
      EXPECT_EQ(run_command(one_node, {.directory = directory_.path()}).exit_code, 0);
      EXPECT_LE(distance(read_npy(directory_ / "out.npy").values, transformed(values, shape)),
                kTolerance);
      continue;
    }
    const NpyArray result = result_of(rows);
    EXPECT_EQ(result.shape, shape);
    EXPECT_LE(distance(result.values, transformed(values, shape)), kTolerance);
  }
}

}  // namespace
}  // namespace toroid::testing
