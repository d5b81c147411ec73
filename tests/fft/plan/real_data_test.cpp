// Real data: half spectra of even, odd, prime and small lengths.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/description.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"

namespace toroid::fft {
namespace {

using testing::expect_right;
using testing::expect_right_by_turns;
using testing::kMethods;
using testing::noise_of;
using testing::simulate;

TEST(RealData, IsRightForLastAxesOfEvenOddAndPrimeLength) {
  for (const Method method : kMethods)
    for (const std::int64_t last : {1, 2, 3, 4, 7, 16})
      for (const char* torus : {"1", "4", "2x2", "2x1x2", "1x1x4"})
        for (const std::int64_t batch : {1, 3})
          expect_right_by_turns(torus, {.size = {4, 5, last},
                                        .method = method,
                                        .real = true,
                                        .batch = batch,
                                        .return_to_input = batch == 1});
}

TEST(RealData, MayBeASingleNumberOrLine) {
  for (const Method method : kMethods)
    for (const auto& size : std::vector<std::vector<std::int64_t>>{
             {1, 1, 1}, {1, 1, 2}, {1, 1, 9}, {1, 2, 1}, {3, 1, 1}})
      expect_right("1", {.size = size, .method = method, .real = true, .batch = 2});
}

TEST(RealData, GivesHalfTheSpectrumOfTheSameComplexData) {
  const std::vector<double> input = noise_of<double>(6 * 7 * 8, 3);
  const std::vector<Complex> same(input.begin(), input.end());
  for (const Method method : kMethods) {
    Description d{.size = {6, 7, 8}, .method = method};
    const auto whole = simulate<Complex, Complex>("2x3", d, same).result;
    d.real = true;
    const auto half = simulate<double, Complex>("2x3", d, input).result;
    for (std::size_t at = 0; at < half.size(); ++at)
      EXPECT_LT(std::abs(half[at] - whole[at / 5 * 8 + at % 5]), 1e-12);
  }
}

TEST(RealData, AgreesWithOneLibraryCallForEveryMethod) {
  const std::vector<std::int64_t> size = {9, 10, 11};
  const std::vector<double> input = noise_of<double>(990, 3);
  std::vector<Complex> expected(9 * 10 * 6);
  local::serial_reference(size, input, expected);
  for (const Method method : kMethods) {
    const Description d{.size = size, .method = method, .real = true};
    EXPECT_LT(testing::relative_error(simulate<double, Complex>("3x3", d, input).result, expected),
              1e-15);
  }
}

}  // namespace
}  // namespace toroid::fft
