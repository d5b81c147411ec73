// The orbital transform by factors, compared with the definitions, with matrices, and with closed
// formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/stage_bound.hpp"
#include "fft/plan/cost_model.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/orbital/orbital_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/pairwise.hpp"

namespace toroid::fft {
namespace {

using testing::cube_of;
using testing::cube_size;
using testing::exactly;
using testing::noise_of;
using testing::orbital;

using enum TransformKind;
using Factors = std::array<AxisTransform, 3>;
using PlaceOf = std::int64_t (*)(std::int64_t, std::int64_t, std::int64_t);

constexpr std::array kBothWays = {Sign::forward, Sign::inverse};

/// Rearranges an array: element (i, j, k) of the result is element (place(i), place(j), place(k))
/// of `array`. Along an axis that is not transformed by factors, elements stay where they are.
template <typename T>
std::vector<T> rearranged(const std::vector<T>& array, unsigned extent, const ArrayExtents& size,
                          const Factors& kinds, PlaceOf place) {
  const auto at = [&](unsigned axis, std::int64_t i) {
    return kinds[axis].by_factors() ? place(size[axis], extent, i) : i;
  };
  std::vector<T> result;
  for (std::int64_t i = 0; i < size[0]; ++i)
    for (std::int64_t j = 0; j < size[1]; ++j)
      for (std::int64_t k = 0; k < size[2]; ++k)
        result.push_back(
            array[static_cast<std::size_t>((at(0, i) * size[1] + at(1, j)) * size[2] + at(2, k))]);
  return result;
}

/// The same options with the dft's matrix instead of factors.
OrbitalOptions by_matrices(OrbitalOptions options) {
  for (AxisTransform& transform : options.kinds)
    if (transform.by_factors()) transform = dft;
  return options;
}

/// Transforms by factors, but with frequencies in natural order instead of digit order.
template <typename T>
std::vector<T> by_factors(unsigned extent, const ArrayExtents& size, const OrbitalOptions& options,
                          const std::vector<T>& array) {
  const bool forward = options.sign == Sign::forward;
  const std::vector<T> input =
      forward ? array : rearranged(array, extent, size, options.kinds, frequency_by_digits);
  const std::vector<T> result = orbital(extent, size, options, input).result;
  return forward ? rearranged(result, extent, size, options.kinds, place_by_digits) : result;
}

template <typename T>
void expect_the_dft(unsigned extent, const ArrayExtents& size, const OrbitalOptions& options) {
  const auto points = static_cast<std::size_t>(size[0] * size[1] * size[2]);
  const std::vector<T> array = noise_of<T>(points, extent + static_cast<unsigned>(size[0]));
  const std::vector<T> result = by_factors(extent, size, options, array);
  const auto expected = testing::expected(size, by_matrices(options), array);
  EXPECT_LE(testing::relative_l2(exactly<T>(result), expected),
            testing::allowed<T>(*std::ranges::max_element(size)))
      << "size " << ::testing::PrintToString(size) << ", P = " << extent << ", sign "
      << static_cast<int>(options.sign);
}

TEST(OrbitalFactors, GiveEachFrequencyOnePlace) {
  for (const std::int64_t extent : {1, 2, 3, 8})
    for (const std::int64_t block : {1, 2, 5}) {
      const std::int64_t size = extent * block;
      for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t place = place_by_digits(size, extent, k);
        EXPECT_EQ(place, k % extent * block + k / extent);
        EXPECT_EQ(frequency_by_digits(size, extent, place), k);
      }
    }
}

TEST(OrbitalFactors, FollowTheDefinitionForEveryExtentAndBlock) {
  constexpr std::array kBlocks = {1, 2, 3, 7};
  for (const auto& row : testing::combinations({kBothWays.size(), 4, kBlocks.size(), 2})) {
    const auto extent = static_cast<unsigned>(1 + row[1]);
    const ArrayExtents size = cube_size(std::int64_t{extent} * kBlocks[row[2]]);
    const OrbitalOptions options{.kinds = {fft, fft, fft}, .sign = kBothWays[row[0]]};
    if (row[3] == 0)
      expect_the_dft<std::complex<double>>(extent, size, options);
    else
      expect_the_dft<std::complex<float>>(extent, size, options);
  }
}

TEST(OrbitalFactors, FollowTheDefinitionBesideOtherKindsInEveryOrderOfStages) {
  for (const Sign sign : kBothWays)
    for (const Factors& kinds :
         {Factors{fft, dct, dft}, Factors{dht, fft, dst}, Factors{dft, fft, fft}})
      for (const std::array<unsigned, 3> stages :
           {std::array{0u, 1u, 2u}, std::array{0u, 2u, 1u}, std::array{1u, 0u, 2u},
            std::array{1u, 2u, 0u}, std::array{2u, 0u, 1u}, std::array{2u, 1u, 0u}}) {
        const OrbitalOptions options{
            .kinds = kinds, .sign = sign, .alpha = {1, -1, -1}, .stage_axes = stages};
        expect_the_dft<std::complex<double>>(2, {4, 6, 10}, options);
        expect_the_dft<std::complex<double>>(3, {9, 3, 6}, options);
      }
}

TEST(OrbitalFactors, FollowTheDefinitionWithTheOtherLibrary) {
  expect_the_dft<std::complex<double>>(
      2, {4, 6, 22}, {.kinds = {fft, fft, fft}, .library = local::LibraryName::kissfft});
}

TEST(OrbitalFactors, ReturnTheInputAfterRepeatedRuns) {
  using T = std::complex<double>;
  const Factors kinds{fft, dct, fft};
  const std::vector<T> array = noise_of<T>(216, 5);
  for (const unsigned extent : {1u, 2u, 3u}) {
    const auto there = orbital(extent, 6, {.kinds = kinds}, array, 3);
    const auto back = orbital(extent, 6, {.kinds = kinds, .sign = Sign::inverse}, there.result, 2);
    EXPECT_LE(testing::relative_l2(exactly<T>(back.result), exactly<T>(array), 216),
              2 * testing::allowed<T>(6));
  }
}

/// A stage takes one complex product per element in each of P steps, another one for the factors of
/// the node's own block, and the transforms of the block's lines.
TEST(OrbitalFactors, TakeTheCyclesOfTheFormula) {
  using T = std::complex<double>;
  constexpr unsigned kExtent = 2;
  constexpr std::uint64_t kBlock = 6;
  constexpr std::uint64_t kElements = kBlock * kBlock * kBlock;
  Machine machine;
  machine.fma_cycles = 0.5;
  machine.transpose_cycles = 3;
  const OrbitalOptions options{.kinds = {fft, fft, fft}};
  const OrbitalPlan plan(cube_size(12), cube_of(kExtent), options);
  const Tick expected = (kExtent + 1) * product_cycles(machine, 4 * kElements) +
                        kBlock * kBlock * line_transform_cycles(machine, kBlock);
  const auto fabric = make_sim_fabric(cube_of(kExtent), machine);
  const auto run = testing::orbital_on(*fabric, plan, noise_of<T>(1728, 3));
  for (const auto& times : run.times)
    for (unsigned stage = 0; stage < OrbitalPlan::kStages; ++stage) {
      EXPECT_EQ(times[stage].computing, expected);
      EXPECT_LE(bound_of_stage(plan, stage, machine).cycles(),
                times[stage].end - times[stage].begin);
    }
  for (const auto& shifted : run.shifted) {
    ASSERT_EQ(shifted.size(), 3 * kExtent);
    for (unsigned step = 0; step < shifted.size(); ++step)
      EXPECT_EQ(shifted[step], step < kExtent ? kElements + 1 : 2 * kElements);
  }
}

TEST(OrbitalFactors, NeedComplexElementsAndShiftedBlocks) {
  const OrbitalOptions options{.kinds = {fft, dct, dct}};
  for (const ElementType element : {ElementType::float32, ElementType::float64}) {
    OrbitalOptions real = options;
    real.element = element;
    EXPECT_THROW(OrbitalPlan(cube_size(4), cube_of(2), real), BadInput);
  }
  for (const OrbitalVariant variant : {OrbitalVariant::bcr, OrbitalVariant::bbc}) {
    OrbitalOptions broadcast = options;
    broadcast.variant = variant;
    EXPECT_THROW(OrbitalPlan(cube_size(4), cube_of(2), broadcast), BadInput);
  }
}

}  // namespace
}  // namespace toroid::fft
