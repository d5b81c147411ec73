// The orbital transform sends exactly as much as the orbital report says, and only to nearest
// neighbours.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/orbital/orbital_run.hpp"

namespace toroid::fft {
namespace {

using testing::cube_of;
using testing::cube_size;
using testing::noise_of;

const OrbitalOptions kReal{.kinds = {TransformKind::dct, TransformKind::dht, TransformKind::dct},
                           .element = ElementType::float64};

OrbitalOptions real(Sign sign) {
  OrbitalOptions options = kReal;
  options.sign = sign;
  return options;
}

TEST(OrbitalTraffic, IsBCubedPlusBSquaredInTheStageThatShiftsCoefficientsElseTwoBCubed) {
  for (const unsigned extent : {2u, 3u, 4u})
    for (const unsigned b : {1u, 3u}) {
      const auto array = noise_of<double>(std::size_t{b * extent} * b * extent * b * extent, 1);
      const auto forward = testing::orbital(extent, b * extent, real(Sign::forward), array);
      const auto inverse = testing::orbital(extent, b * extent, real(Sign::inverse), array);
      for (const auto& steps : forward.shifted) {
        ASSERT_EQ(steps.size(), 3 * extent);
        for (unsigned step = 0; step < 3 * extent; ++step)
          EXPECT_EQ(steps[step], step < extent ? b * b * b + b * b : 2 * b * b * b);
      }
      for (const auto& steps : inverse.shifted) {
        ASSERT_EQ(steps.size(), 3 * extent);
        for (unsigned step = 0; step < 3 * extent; ++step)
          EXPECT_EQ(steps[step], step >= 2 * extent ? b * b * b + b * b : 2 * b * b * b);
      }
    }
}

/// The shifted coefficients belong to the axis that is transformed first.
TEST(OrbitalTraffic, CountsElementsAndCoefficientsOfBlocksOfUnequalExtents) {
  constexpr std::array<std::uint64_t, 3> kBlock = {2, 3, 4};
  for (unsigned first = 0; first < 3; ++first) {
    OrbitalOptions options = kReal;
    options.stage_axes = {first, (first + 1) % 3, (first + 2) % 3};
    const auto run =
        testing::orbital(2, ArrayExtents{4, 6, 8}, options, noise_of<double>(4 * 6 * 8, 6));
    const std::uint64_t elements = kBlock[0] * kBlock[1] * kBlock[2];
    const std::uint64_t with_coefficients = elements + kBlock[first] * kBlock[first];
    for (const auto& steps : run.shifted)
      EXPECT_EQ(steps,
                (std::vector<std::uint64_t>{with_coefficients, with_coefficients, 2 * elements,
                                            2 * elements, 2 * elements, 2 * elements}));
  }
}

TEST(OrbitalTraffic, IsZeroOnASingleNode) {
  const auto run = testing::orbital(1, 4, kReal, noise_of<double>(64, 2));
  EXPECT_EQ(run.shifted[0], std::vector<std::uint64_t>(3, 0));
}

/// Packets and bytes on the wire that all nodes send in a transform.
struct Expected {
  std::uint64_t packets = 0;
  std::uint64_t wire_bytes = 0;

  void add(std::uint64_t payload_bytes) {
    ++packets;
    wire_bytes += Machine{}.wire_bytes(chunks_for(static_cast<unsigned>(payload_bytes)));
  }
  void add_block(std::uint64_t bytes) {
    for (; bytes > kPayloadBytes; bytes -= kPayloadBytes) add(kPayloadBytes);
    add(bytes);
    add(0);  // the acknowledgement, which is empty
  }
};

Expected traffic(unsigned extent, std::uint64_t b, std::size_t number) {
  Expected expected;
  for (unsigned shift = 0; shift < extent * extent * extent * extent; ++shift) {
    expected.add_block(b * b * number);
    for (int cubes = 0; cubes < 5; ++cubes) expected.add_block(b * b * b * number);
  }
  return expected;
}

TEST(OrbitalTraffic, CrossesOneLinkPerPacketAndHasNoExtraPackets) {
  for (const Sign sign : {Sign::forward, Sign::inverse})
    for (const unsigned extent : {2u, 3u, 4u}) {
      const auto fabric = make_sim_fabric(cube_of(extent), Machine{});
      const OrbitalPlan plan(cube_size(4 * extent), cube_of(extent), real(sign));
      testing::orbital_on(*fabric, plan,
                          noise_of<double>(std::size_t{64} * extent * extent * extent, 3));
      const Expected expected = traffic(extent, 4, sizeof(double));
      const FabricCounters& counters = fabric->counters();
      EXPECT_EQ(counters.packets, expected.packets);
      EXPECT_EQ(counters.packet_hops, counters.packets);
      std::uint64_t wire_bytes = 0;
      for (const LinkCounters& link : counters.links) wire_bytes += link.wire_bytes;
      EXPECT_EQ(wire_bytes, expected.wire_bytes);
    }
}

TEST(OrbitalTraffic, FollowsTheSignsOfTheSchedulingVector) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    OrbitalOptions options = kReal;
    for (unsigned d = 0; d < 3; ++d) options.alpha[d] = (bits >> d & 1) != 0 ? -1 : 1;
    const auto fabric = make_sim_fabric(cube_of(3), Machine{});
    testing::orbital_on(*fabric, OrbitalPlan(cube_size(12), cube_of(3), options),
                        noise_of<double>(1728, 4));
    for (unsigned d = 0; d < 3; ++d) {  // blocks in one direction, acknowledgements in the other
      const auto& plus = fabric->counters().links[Direction::plus(d).index];
      const auto& minus = fabric->counters().links[Direction::minus(d).index];
      EXPECT_EQ(plus.wire_bytes > minus.wire_bytes, options.alpha[d] > 0);
    }
  }
}

/// At the beginning of a stage, nodes wait only for the first slice of a sum.
TEST(OrbitalTraffic, IsHiddenBehindTheProductsWhetherTheSumIsShiftedOrNot) {
  Machine machine;
  machine.fma_cycles = 30;
  machine.inject_cycles = machine.receive_cycles = 0;
  const auto computing = static_cast<Tick>(2 * 4096 * 30);
  for (const Sign sign : {Sign::forward, Sign::inverse}) {
    const auto fabric = make_sim_fabric(cube_of(2), machine);
    const OrbitalPlan plan(cube_size(16), cube_of(2), real(sign));
    const auto run = testing::orbital_on(*fabric, plan, noise_of<double>(4096, 5));
    for (const auto& stages : run.times)
      for (const OrbitalTimes& stage : stages) {
        EXPECT_EQ(stage.computing, computing);
        EXPECT_LT(stage.waiting, computing / 20);
        EXPECT_GE(stage.end - stage.begin, computing + stage.waiting);
        EXPECT_LT(stage.end - stage.begin, computing + computing / 20);
      }
  }
}

/// Products and the work on packets take at least four fifths of the time.
TEST(OrbitalTraffic, LeavesProcessorsIdleForLessThanAFifthOfTheTime) {
  for (const Sign sign : {Sign::forward, Sign::inverse}) {
    const auto fabric = make_sim_fabric(cube_of(2), Machine{});
    const OrbitalPlan plan(cube_size(24), cube_of(2), {.sign = sign});
    const auto run = testing::orbital_on(*fabric, plan, noise_of<std::complex<double>>(13824, 5),
                                         {.settings = {.output_queues = 3}});
    const Machine& machine = fabric->machine();
    const std::uint64_t packets = 2 * (5 * packets_for(27648) + packets_for(2304));
    const Tick busy =
        6 * 4 * Tick{20736} + packets * (machine.inject_cycles + machine.receive_cycles);
    for (const auto& stages : run.times) EXPECT_GT(busy, (stages[2].end * 4) / 5);
  }
}

}  // namespace
}  // namespace toroid::fft
