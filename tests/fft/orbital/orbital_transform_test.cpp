// The orbital transform, compared with the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/orbital/coefficients.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tests/fft/orbital/orbital_run.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using testing::allowed;
using testing::exactly;
using testing::noise_of;
using testing::orbital;

using enum TransformKind;
using Kinds = std::array<AxisTransform, 3>;
using Alpha = std::array<int, 3>;

constexpr std::array kSigns = {Sign::forward, Sign::inverse};

Alpha alpha_of(unsigned bits) {
  return {bits & 1 ? -1 : 1, bits & 2 ? -1 : 1, bits & 4 ? -1 : 1};
}

std::size_t volume(const ArrayExtents& size) {
  return static_cast<std::size_t>(size[0] * size[1] * size[2]);
}

template <typename T>
void expect_the_definition(unsigned extent, const ArrayExtents& size,
                           const OrbitalOptions& options) {
  const std::vector<T> array =
      noise_of<T>(volume(size), 7 * extent + static_cast<unsigned>(size[0]));
  const auto run = orbital(extent, size, options, array);
  const double error =
      testing::relative_l2(exactly<T>(run.result), testing::expected(size, options, array));
  EXPECT_LE(error, allowed<T>(*std::ranges::max_element(size)))
      << "size " << ::testing::PrintToString(size) << ", P = " << extent << ", kinds "
      << name_of(options.kinds[0]) << " " << name_of(options.kinds[1]) << " "
      << name_of(options.kinds[2]) << ", sign " << static_cast<int>(options.sign) << ", stages "
      << ::testing::PrintToString(options.stage_axes);
}
template <typename T>
void expect_the_definition(unsigned extent, std::int64_t n, const OrbitalOptions& options) {
  expect_the_definition<T>(extent, testing::cube_size(n), options);
}

TEST(OrbitalTransform, FollowsTheDefinitionForEveryKindAndType) {
  for (const Sign sign : kSigns)
    for (const TransformKind kind : {dft, dct, dht, wht, dst}) {
      const OrbitalOptions options{.kinds = {kind, kind, kind}, .sign = sign};
      expect_the_definition<std::complex<double>>(2, 8, options);
      expect_the_definition<std::complex<float>>(2, 8, options);
      if (has_complex_coefficients(kind)) continue;
      expect_the_definition<double>(2, 8, options);
      expect_the_definition<float>(2, 8, options);
    }
}

TEST(OrbitalTransform, FollowsTheDefinitionForADifferentKindOnEveryAxis) {
  for (const Sign sign : kSigns)
    for (const Kinds& kinds : {Kinds{dft, dct, dht}, Kinds{dct, dht, dft}, Kinds{wht, dft, dct},
                               Kinds{dht, wht, dct}, Kinds{dst, dct, wht}}) {
      const OrbitalOptions options{.kinds = kinds, .sign = sign};
      expect_the_definition<std::complex<double>>(2, 8, options);
      if (std::ranges::none_of(kinds, has_complex_coefficients))
        expect_the_definition<double>(4, 8, options);
    }
}

TEST(OrbitalTransform, FollowsTheDefinitionForEverySchedulingVector) {
  for (const Sign sign : kSigns)
    for (unsigned bits = 0; bits < 8; ++bits)
      for (const unsigned extent : {2u, 3u, 4u}) {
        const OrbitalOptions options{
            .kinds = {dft, dct, dht}, .sign = sign, .alpha = alpha_of(bits)};
        expect_the_definition<std::complex<double>>(extent, 2 * extent, options);
      }
}

TEST(OrbitalTransform, FollowsTheDefinitionForEveryExtentAndBlock) {
  for (const Sign sign : kSigns)
    for (const unsigned extent : {1u, 2u, 3u, 4u})
      for (const unsigned block : {1u, 2u, 5u}) {
        const OrbitalOptions options{.kinds = {dct, dft, dft}, .sign = sign};
        expect_the_definition<std::complex<double>>(extent, extent * block, options);
        expect_the_definition<float>(extent, extent * block,
                                     {.kinds = {dct, dht, dct}, .sign = sign});
      }
}

TEST(OrbitalTransform, FollowsTheDefinitionWithAPrimeBlock) {
  for (const std::int64_t n : {7, 13})
    expect_the_definition<std::complex<double>>(1, n, {.kinds = {dft, dct, dht}});
  expect_the_definition<std::complex<double>>(2, 22, {});
  expect_the_definition<double>(3, 21, {.kinds = {dct, dht, dct}});
}

TEST(OrbitalTransform, FollowsTheDefinitionForArraysOfUnequalExtents) {
  for (const Sign sign : kSigns)
    for (const ArrayExtents& block : {ArrayExtents{1, 2, 3}, {3, 1, 2}, {5, 1, 1}, {1, 1, 4}})
      for (const unsigned extent : {1u, 2u, 3u}) {
        ArrayExtents size = block;
        for (std::int64_t& n : size) n *= extent;
        expect_the_definition<std::complex<double>>(extent, size,
                                                    {.kinds = {dft, dct, dst}, .sign = sign});
        expect_the_definition<std::complex<float>>(extent, size,
                                                   {.kinds = {dst, dft, dht}, .sign = sign});
        expect_the_definition<double>(extent, size, {.kinds = {dct, dht, dst}, .sign = sign});
      }
}

TEST(OrbitalTransform, MultipliesByUserDefinedMatrices) {
  using Complex = std::complex<double>;
  const AxisTransform real = testing::noise_matrix<double>(4, 1);
  const AxisTransform complex = testing::noise_matrix<Complex>(6, 2);
  const AxisTransform other = testing::noise_matrix<double>(2, 3);
  expect_the_definition<Complex>(2, {4, 6, 2}, {.kinds = {real, complex, other}});
  expect_the_definition<Complex>(2, {4, 6, 4}, {.kinds = {real, dct, real}});
  expect_the_definition<Complex>(1, {6, 2, 6}, {.kinds = {complex, other, complex}});
  expect_the_definition<double>(2, {4, 2, 4}, {.kinds = {real, other, real}});
}

TEST(OrbitalTransform, ReturnsNTimesTheInputByTheInverseOfAMatrix) {
  using T = std::complex<double>;
  const ArrayExtents size{4, 6, 2};
  const Kinds kinds{testing::noise_matrix<double>(4, 1), testing::noise_matrix<T>(6, 2), dct};
  const std::vector<T> array = noise_of<T>(volume(size), 5);
  const auto there = orbital(2, size, {.kinds = kinds}, array);
  const auto back = orbital(2, size, {.kinds = kinds, .sign = Sign::inverse}, there.result);
  EXPECT_LE(testing::relative_l2(exactly<T>(back.result), exactly<T>(array), 4 * 6 * 2), 1e-12);
}

TEST(OrbitalTransform, ReturnsNCubedTimesTheInputAfterItsInverse) {
  for (const Kinds& kinds : {Kinds{dft, dft, dft}, Kinds{dct, dct, dct}, Kinds{dht, dht, dht},
                             Kinds{wht, wht, wht}, Kinds{dct, dft, wht}})
    for (const unsigned extent : {1u, 2u, 4u}) {
      using T = std::complex<double>;
      const std::vector<T> array = noise_of<T>(512, 5);
      const auto there = orbital(extent, 8, {.kinds = kinds}, array);
      const auto back = orbital(extent, 8, {.kinds = kinds, .sign = Sign::inverse}, there.result);
      EXPECT_LE(testing::relative_l2(exactly<T>(back.result), exactly<T>(array), 512),
                2 * allowed<T>(8));
    }
}

TEST(OrbitalTransform, GivesTheSameResultOnEveryRun) {
  using T = std::complex<double>;
  for (const Sign sign : kSigns)
    for (const unsigned extent : {1u, 2u, 3u}) {
      const std::vector<T> array = noise_of<T>(216, 6);
      const auto once = orbital(extent, 6, {.sign = sign}, array);
      const auto often = orbital(extent, 6, {.sign = sign}, array, 4);
      EXPECT_EQ(often.result, once.result);
      EXPECT_EQ(often.shifted[0], once.shifted[0]);
      for (const auto& times : often.times)
        for (unsigned s = 0; s < 3; ++s) EXPECT_LT(times[s].begin, times[s].end);
    }
}

}  // namespace
}  // namespace toroid::fft
