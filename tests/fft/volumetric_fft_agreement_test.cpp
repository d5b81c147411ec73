// The volumetric FFT computes on rings, bit for bit, what it computes on the model.
#include <gtest/gtest.h>

#include "tests/fft/transform_run.hpp"
#include "tests/router/ring_machine.hpp"

namespace toroid {
namespace {

using testing::noise;
using testing::transform;

/// Bits, not values: 0 and -0 differ.
bool equal_bits(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Complex)) == 0;
}

std::vector<Complex> on_rings(const std::vector<Complex>& input, const VolumetricPlan& plan,
                              const testing::RingCase& c, Machine machine = {}) {
  const Shape& shape = plan.decomposition().grid().shape();
  const auto fabric = testing::ring_fabric(shape, c.threads, testing::routed(c.route), machine);
  return testing::transform_on(*fabric, input, plan, c.node()).result;
}

void expect_agreement(const char* torus, const Index& size, VolumetricOptions options) {
  const std::vector<Complex> input = noise(size, 11);
  const VolumetricPlan plan(size, Shape::parse(torus), options);
  const std::vector<Complex> expected = transform(input, plan).result;
  for (const auto& c : testing::ring_cases())
    ASSERT_TRUE(equal_bits(on_rings(input, plan, c), expected)) << torus << ' ' << c.text();
}

TEST(VolumetricFftAgreement, GivesTheModelsBitsOnEveryShape) {
  for (const char* torus : testing::kRingShapes) expect_agreement(torus, {9, 8, 7}, {});
}

TEST(VolumetricFftAgreement, GivesTheModelsBitsForSizesThatDoNotFitTheTorus) {
  expect_agreement("2x3x4", {13, 9, 10}, {});
  expect_agreement("3x3", {2, 17, 3}, {});
  expect_agreement("4x4x4", {13, 1, 5}, {});
}

TEST(VolumetricFftAgreement, GivesTheModelsBitsInTheInputsLayoutAndBackwards) {
  expect_agreement("2x3x4", {8, 9, 10}, {.sign = Sign::inverse, .return_to_blocks = true});
  expect_agreement("5x2m", {8, 9, 10}, {.return_to_blocks = true});
}

TEST(VolumetricFftAgreement, GivesTheModelsBitsAfterManyRepetitions) {
  expect_agreement("2x2x2", {8, 9, 10}, {.repeat = 15});
}

TEST(VolumetricFftAgreement, GivesTheModelsBitsThroughTheSmallestBuffers) {
  Machine machine;
  machine.dynamic_vc_chunks = machine.injection_fifo_chunks = machine.reception_fifo_chunks = 8;
  machine.bubble_vc_chunks = machine.priority_vc_chunks = 16;
  machine.reception_fifos = 1;
  const Index size{12, 10, 9};
  const std::vector<Complex> input = noise(size, 12);
  const VolumetricPlan plan(size, Shape::parse("4x3x2"), {});
  const std::vector<Complex> expected = transform(input, plan).result;
  for (const auto& c : testing::ring_cases())
    ASSERT_TRUE(equal_bits(on_rings(input, plan, c, machine), expected)) << c.text();
}

}  // namespace
}  // namespace toroid
