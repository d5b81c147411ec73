// Every order of the stages, i.e. two orders for each slicing, with every scheduling vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/orbital/plan.hpp"
#include "fft/plan/transform_kind.hpp"
#include "tests/fft/orbital/orbital_run.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::fft {
namespace {

using enum TransformKind;
using Complex = std::complex<double>;

template <typename Visit>
void for_each_order(Visit&& visit) {
  std::array<unsigned, 3> order{0, 1, 2};
  do visit(order);
  while (std::ranges::next_permutation(order).found);
}

void expect_right(unsigned extent, const ArrayExtents& block, const OrbitalOptions& options) {
  ArrayExtents size = block;
  std::size_t points = 1;
  for (std::int64_t& n : size) points *= static_cast<std::size_t>(n *= extent);
  const std::vector<Complex> array = testing::noise_of<Complex>(points, extent);
  const auto run = testing::orbital(extent, size, options, array);
  EXPECT_LE(testing::relative_l2(testing::exactly<Complex>(run.result),
                                 testing::expected(size, options, array)),
            testing::allowed<Complex>(*std::ranges::max_element(size)))
      << "P = " << extent << ", size " << ::testing::PrintToString(size) << ", stages "
      << ::testing::PrintToString(options.stage_axes) << ", alpha "
      << ::testing::PrintToString(options.alpha);
}

TEST(OrbitalOrders, AllFollowTheDefinitionForEverySchedulingVector) {
  for_each_order([](const std::array<unsigned, 3>& order) {
    for (unsigned bits = 0; bits < 8; ++bits)
      for (const Sign sign : {Sign::forward, Sign::inverse})
        for (const unsigned extent : {2u, 3u}) {
          OrbitalOptions options{.kinds = {dft, dct, dst}, .sign = sign, .stage_axes = order};
          for (unsigned d = 0; d < 3; ++d) options.alpha[d] = (bits >> d & 1) != 0 ? -1 : 1;
          expect_right(extent, {1, 1, 1}, options);
        }
  });
}

TEST(OrbitalOrders, AllFollowTheDefinitionForEveryShapeOfBlock) {
  for_each_order([](const std::array<unsigned, 3>& order) {
    for (const ArrayExtents& block : {ArrayExtents{2, 2, 2}, {1, 2, 3}, {3, 1, 2}, {2, 3, 1}})
      for (const Sign sign : {Sign::forward, Sign::inverse})
        for (const unsigned extent : {1u, 2u, 3u})
          expect_right(extent, block,
                       {.kinds = {dst, dft, dct}, .sign = sign, .stage_axes = order});
  });
}

/// Blocks with four unequal slices, and blocks with as many slices as planes.
TEST(OrbitalOrders, AllFollowTheDefinitionIfSumsAreSentInSlices) {
  for_each_order([](const std::array<unsigned, 3>& order) {
    for (const ArrayExtents& block : {ArrayExtents{7, 4, 9}, {3, 10, 8}})
      for (const Sign sign : {Sign::forward, Sign::inverse})
        for (const unsigned extent : {2u, 3u})
          expect_right(extent, block,
                       {.kinds = {dst, dft, dct}, .sign = sign, .stage_axes = order});
  });
}

}  // namespace
}  // namespace toroid::fft
