// The volumetric FFT computes on several processes, bit for bit, what it computes on the model.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "tests/fft/transform_run.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid {
namespace {

using testing::OfiCase;
using Values = std::vector<Complex>;

using OfiFftAgreement = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiFftAgreement, testing::kProviders, testing::provider_name);

/// The elements that this process has; how many.
std::size_t expect_equal_bits(const Values& result, const Values& expected) {
  std::size_t own = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (result[i] == Complex(1e300, 1e300)) continue;
    ++own;
    if (std::memcmp(&result[i], &expected[i], sizeof(Complex)) == 0) continue;
    ADD_FAILURE() << "element " << i << " is " << result[i] << " instead of " << expected[i];
    break;
  }
  return own;
}

void expect_agreement(const Shape& torus, const Index& size, const OfiCase& c,
                      VolumetricOptions options = {}) {
  const Values input = testing::noise(size, 11);
  const VolumetricPlan plan(size, torus, options);
  const Values expected = testing::transform(input, plan).result;
  const testing::Shared<std::atomic<std::size_t>> compared(1);
  const auto outcomes = testing::run_job_over(c.provider, c.processes, [&](Job& job) {
    const auto fabric = ofi_fabric(job, torus, c);
    compared[0] +=
        expect_equal_bits(testing::transform_on(*fabric, input, plan, c.node()).result, expected);
  });
  ASSERT_EQ(outcomes, std::vector<std::string>(c.processes));
  EXPECT_EQ(compared[0], expected.size());
}

TEST_P(OfiFftAgreement, GivesTheModelsBitsOnEveryShape) {
  testing::for_each_shape_and_case(GetParam(), 5, [](const Shape& shape, const OfiCase& c) {
    expect_agreement(shape, {9, 8, 7}, c);
  });
}

TEST_P(OfiFftAgreement, GivesTheModelsBitsInTheInputsLayoutBackwardsAndRepeated) {
  OfiCase c{.processes = 3, .workers = 2, .provider = GetParam()};
  expect_agreement(Shape::parse("2x3x2"), {13, 9, 10}, c,
                   {.sign = Sign::inverse, .return_to_blocks = true});
  c.route = RingRoute::torus;
  expect_agreement(Shape::parse("2x3x2"), {13, 9, 10}, c, {.repeat = 5});
}

TEST_P(OfiFftAgreement, GivesTheModelsBitsThroughTheSmallestBuffers) {
  for (const RingRoute route : testing::kRoutes)
    for (const RoutingRule routing : testing::kRoutings)
      for (const unsigned processes : {2u, 5u}) {
        OfiCase c{.route = route, .routing = routing, .processes = processes, .workers = 2};
        c.provider = GetParam();
        c.machine = testing::smallest_buffers();
        expect_agreement(Shape::parse("4x3x2"), {12, 10, 9}, c);
      }
}

}  // namespace
}  // namespace toroid
