// The orbital transform computes the same bits on rings as on the model.
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>

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

void expect_agreement(unsigned extent, std::int64_t n, const OrbitalOptions& options,
                      Machine machine = {}, unsigned times = 1) {
  const OrbitalPlan plan(cube_size(n), cube_of(extent), options);
  const auto array = noise_of<Complex>(static_cast<std::size_t>(n * n * n), 9);
  const auto model = make_sim_fabric(cube_of(extent), machine);
  const auto expected = orbital_on(*model, plan, array).result;
  for (const auto& c : testing::ring_cases()) {
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

TEST(OrbitalAgreement, GivesTheModelsBitsForwardAndInverse) {
  expect_agreement(1, 5, {});
  expect_agreement(2, 10, {.kinds = {TransformKind::dct, TransformKind::dft, TransformKind::dht}});
  expect_agreement(3, 9, {.sign = Sign::inverse, .alpha = {-1, 1, -1}});
  expect_agreement(2, 6, {.kinds = {TransformKind::fft, TransformKind::dct, TransformKind::fft}});
  expect_agreement(3, 9, {.kinds = {TransformKind::fft}, .sign = Sign::inverse});
}

TEST(OrbitalAgreement, GivesTheModelsBitsAfterManyRuns) {
  expect_agreement(2, 6, {}, {}, 4);
  expect_agreement(3, 3, {.sign = Sign::inverse}, {}, 4);
}

TEST(OrbitalAgreement, GivesTheModelsBitsThroughTheSmallestBuffers) {
  Machine machine;
  machine.dynamic_vc_chunks = machine.injection_fifo_chunks = machine.reception_fifo_chunks = 8;
  machine.bubble_vc_chunks = machine.priority_vc_chunks = 16;
  machine.ring_slots = 1;
  machine.reception_fifos = 1;
  expect_agreement(2, 8, {}, machine);
}

}  // namespace
}  // namespace toroid::fft
