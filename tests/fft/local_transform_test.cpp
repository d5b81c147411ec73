#include "fft/local_transform.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "fft/local_array.hpp"
#include "hal/check.hpp"

namespace toroid {
namespace {

/// A box of 3x4x5 in C order in, out in the order of `strides`.
LocalShape shape(const std::array<bool, 3>& transformed,
                 const std::array<std::int64_t, 3>& strides) {
  constexpr std::array<std::int64_t, 3> kLengths = {3, 4, 5};
  constexpr std::array<std::int64_t, 3> kStrides = {20, 5, 1};
  LocalShape shape{{}, false};
  for (std::size_t a = 0; a < 3; ++a)
    shape.axes[a] = {kLengths[a], kStrides[a], strides[a], transformed[a]};
  return shape;
}

/// One element of the transform, by its definition.
Complex by_definition(const LocalShape& shape, const Complex* in,
                      const std::array<std::int64_t, 3>& k) {
  Complex sum = 0;
  std::array<std::int64_t, 3> n{};
  for (n[0] = 0; n[0] < 3; ++n[0])
    for (n[1] = 0; n[1] < 4; ++n[1])
      for (n[2] = 0; n[2] < 5; ++n[2]) {
        double turns = 0;
        bool counts = true;
        for (std::size_t a = 0; a < 3; ++a) {
          const LocalAxis& axis = shape.axes[a];
          if (axis.transformed)
            turns += static_cast<double>(n[a] * k[a]) / static_cast<double>(axis.length);
          else
            counts = counts && n[a] == k[a];
        }
        if (counts)
          sum += in[n[0] * 20 + n[1] * 5 + n[2]] * std::polar(1.0, -2 * std::numbers::pi * turns);
      }
  return sum;
}

TEST(LocalTransform, TransformsAnySubsetOfTheAxesBetweenAnyStridesAndKeepsItsInput) {
  for (const auto& strides : {std::array<std::int64_t, 3>{20, 5, 1}, {5, 15, 1}, {1, 3, 12}})
    for (unsigned set = 0; set < 8; ++set) {
      const LocalShape what = shape({(set & 4) != 0, (set & 2) != 0, (set & 1) != 0}, strides);
      LocalArray in(60), out(60);
      for (std::size_t i = 0; i < 60; ++i)
        in.data()[i] = std::polar(1.0, static_cast<double>(i * i));
      fftw_library().plan(what, Sign::forward, Rigor::estimate)->run(in.data(), out.data());
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
          for (std::int64_t k = 0; k < 5; ++k)
            EXPECT_LT(std::abs(out.data()[i * strides[0] + j * strides[1] + k * strides[2]] -
                               by_definition(what, in.data(), {i, j, k})),
                      1e-13);
      for (std::size_t i = 0; i < 60; ++i)
        EXPECT_EQ(in.data()[i], std::polar(1.0, static_cast<double>(i * i)));
    }
}

void expect_same_whether_measured_or_not(const LocalShape& what, std::size_t extent) {
  LocalArray estimated(extent), measured(extent);
  for (std::size_t i = 0; i < extent; ++i)
    estimated.data()[i] = measured.data()[i] = std::polar(1.0, static_cast<double>(i * i % 1001));
  const auto run = [&](Rigor rigor, LocalArray& array) {
    fftw_library().plan(what, Sign::inverse, rigor)->run(array.data(), array.data());
  };
  run(Rigor::estimate, estimated);
  run(Rigor::measure, measured);
  for (std::size_t i = 0; i < extent; ++i)
    ASSERT_LT(std::abs(estimated.data()[i] - measured.data()[i]), 1e-11);
}

TEST(LocalTransform, GivesTheSameWhetherMeasuredOrNot) {
  expect_same_whether_measured_or_not({{{{24, 10, 10, true}, {10, 1, 1, false}, {}}}, true}, 240);
}

TEST(LocalTransform, GivesTheSameOfManyLinesSideBySide) {
  expect_same_whether_measured_or_not(
      {{{{64, 2056, 2056, true}, {32, 64, 64, false}, {64, 1, 1, false}}}, true}, 64 * 2056);
}

TEST(LocalArray, IsAlignedWhateverItsSize) {
  for (const std::size_t elements : {0, 1, 3, 1000, 200000})
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(LocalArray(elements).data()) % LocalArray::kAlignment, 0u);
}

TEST(Wisdom, ComesBackFromAFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "toroid-wisdom";
  std::filesystem::remove(path);
  EXPECT_FALSE(load_wisdom(path));
  const LocalShape what{{{{30, 1, 1, true}, {}, {}}}, true};
  fftw_library().plan(what, Sign::forward, Rigor::measure);
  std::ofstream(path).close();
  EXPECT_FALSE(load_wisdom(path));  // nothing in it yet
  std::ofstream(path) << wisdom();
  EXPECT_GT(std::filesystem::file_size(path), 0u);
  EXPECT_TRUE(load_wisdom(path));
  std::ofstream(path) << "none";
  EXPECT_THROW(load_wisdom(path), BadInput);
  std::filesystem::remove(path);
  EXPECT_THROW(load_wisdom("/dev/zero"), BadInput);
}

}  // namespace
}  // namespace toroid
