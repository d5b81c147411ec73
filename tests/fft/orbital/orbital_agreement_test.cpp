// The orbital transform computes the same bits on rings as on the model.
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/orbital/plan.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/machine.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/orbital/orbital_run.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using testing::cube_of;
using testing::cube_size;
using testing::equal_bits;
using testing::noise_of;
using testing::orbital_on;
using Complex = std::complex<double>;

/// A transform that is computed on the model and on rings.
struct Computation {
  unsigned extent;
  std::int64_t n;
  OrbitalOptions options{};
};

void expect_agreement(const Computation& computation, const std::vector<testing::RingCase>& cases,
                      const Machine& machine, unsigned times) {
  const auto& [extent, n, options] = computation;
  const OrbitalPlan plan(cube_size(n), cube_of(extent), options);
  const auto array = noise_of<Complex>(static_cast<std::size_t>(n * n * n), 9);
  const auto model = make_sim_fabric(cube_of(extent), machine);
  const auto expected = orbital_on(*model, plan, array).result;
  for (const auto& c : cases) {
    const auto fabric =
        testing::ring_fabric(cube_of(extent), c.threads, testing::routed(c.route), machine);
    NodeOptions node = c.node();
    node.settings.output_queues = 1 + c.threads % 2;
    ASSERT_TRUE(equal_bits(orbital_on(*fabric, plan, array, node, times).result, expected))
        << c.text();
    if (c.route != RingRoute::direct) continue;
    node.transfer = TransferMode::packets;
    const auto again =
        testing::ring_fabric(cube_of(extent), c.threads, testing::routed(c.route), machine);
    ASSERT_TRUE(equal_bits(orbital_on(*again, plan, array, node, times).result, expected))
        << c.text() << " by packets";
  }
}

void expect_agreements(const std::vector<Computation>& all, const Machine& machine = {},
                       unsigned times = 1) {
  const auto cases = testing::ring_cases_beside(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) expect_agreement(all[i], cases[i], machine, times);
}

TEST(OrbitalAgreement, GivesTheModelsBitsForwardAndInverse) {
  expect_agreements(
      {{1, 5},
       {2, 10, {.kinds = {TransformKind::dct, TransformKind::dft, TransformKind::dht}}},
       {3, 9, {.sign = Sign::inverse, .alpha = {-1, 1, -1}}},
       {2, 6, {.kinds = {TransformKind::fft, TransformKind::dct, TransformKind::fft}}},
       {3, 9, {.kinds = {TransformKind::fft}, .sign = Sign::inverse}}});
}

TEST(OrbitalAgreement, GivesTheModelsBitsAfterManyRuns) {
  expect_agreements({{2, 6}, {3, 3, {.sign = Sign::inverse}}}, {}, 4);
}

TEST(OrbitalAgreement, GivesTheModelsBitsThroughTheSmallestBuffers) {
  Machine machine;
  machine.dynamic_vc_chunks = machine.injection_fifo_chunks = machine.reception_fifo_chunks = 8;
  machine.bubble_vc_chunks = machine.priority_vc_chunks = 16;
  machine.ring_slots = 1;
  machine.reception_fifos = 1;
  expect_agreements({{2, 8}}, machine);
}

}  // namespace
}  // namespace toroid::fft
