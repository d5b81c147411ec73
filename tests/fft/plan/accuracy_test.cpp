// Errors of the results for large arrays. The limits are the same as in the other tests of plans.
#include <gtest/gtest.h>

#include "fft/plan/description.hpp"
#include "tests/fft/plan/plan_check.hpp"

namespace toroid::fft {
namespace {

using testing::Sizing;

class AccuracyOf : public ::testing::TestWithParam<Sizing> {};

template <typename Real>
void expect_within_bar(const Description& d) {
  const auto errors = testing::errors_in<Real>(AccuracyOf::GetParam().torus, d);
  EXPECT_LE(errors.there, testing::error_bar<Real>(d)) << testing::text_of(d);
  EXPECT_LE(errors.back, testing::round_trip_bar<Real>(d)) << testing::text_of(d);
}

TEST_P(AccuracyOf, EveryMethodMeetsTheErrorBoundInBothPrecisions) {
  for (const Method method : {Method::volumetric, Method::slab, Method::rows})
    for (const bool real : {false, true}) {
      const Description d{.size = GetParam().size, .method = method, .real = real};
      expect_within_bar<double>(d);
      expect_within_bar<float>(d);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AccuracyOf,
                         ::testing::Values(Sizing{{16, 16, 32}, "2x2x2"}, Sizing{{37, 5, 41}, "5"},
                                           Sizing{{15, 20, 18}, "5"}, Sizing{{5, 3, 211}, "3"},
                                           Sizing{{4, 4, 512}, "2x2"}, Sizing{{256, 6, 5}, "1x5"}));

}  // namespace
}  // namespace toroid::fft
