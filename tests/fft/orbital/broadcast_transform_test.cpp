// The broadcast variants of the orbital transform: the same results, in the canonical layout.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <span>
#include <vector>

#include "fft/orbital/broadcast_transform.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/orbital/orbital_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using testing::cube_of;
using testing::noise_of;

constexpr std::array kRivals = {OrbitalVariant::bcr, OrbitalVariant::bbc};

/// Transforms the same array `times` times, one run after the other.
template <typename T>
Program transform_again(Node& node, BroadcastTransform<T>& transform, const std::vector<T>& array,
                        unsigned times) {
  for (unsigned i = 0; i < times; ++i) {
    const std::span<T> input = transform.input();
    testing::for_each_in(transform.plan().input_box(node.rank()), transform.plan().size(),
                         [&](std::size_t from, std::size_t to) { input[to] = array[from]; });
    Program once = broadcast_transform(node, transform);
    co_await node.perform(once);
  }
}

template <typename T>
testing::OrbitalRun<T> run_on(Fabric& fabric, const OrbitalPlan& plan, const std::vector<T>& array,
                              unsigned times = 1) {
  Runner runner(fabric, {.settings = {.output_queues = 3}});
  std::deque<BroadcastTransform<T>> transforms;
  runner.run([&](Node& node) {
    return transform_again<T>(node, transforms.emplace_back(node, plan, kFirstUserHandler), array,
                              times);
  });
  testing::OrbitalRun<T> run{std::vector<T>(array.size(), T(1e30f)), {}, {}};
  for (Rank r = 0; r < transforms.size(); ++r) {
    const std::span<const T> output = transforms[r].output();
    testing::for_each_in(plan.output_box(r), plan.size(),
                         [&](std::size_t to, std::size_t from) { run.result[to] = output[from]; });
    run.shifted.emplace_back(transforms[r].numbers_shifted().begin(),
                             transforms[r].numbers_shifted().end());
    run.times.emplace_back(transforms[r].times().begin(), transforms[r].times().end());
  }
  return run;
}

template <typename T>
testing::OrbitalRun<T> run(unsigned extent, const ArrayExtents& size, OrbitalOptions options,
                           const std::vector<T>& array, unsigned times = 1) {
  options.element = testing::kElementType<T>;
  const auto fabric = make_sim_fabric(cube_of(extent), Machine{});
  return run_on(*fabric, OrbitalPlan(size, cube_of(extent), options), array, times);
}

template <typename T>
void expect_right(unsigned extent, const ArrayExtents& size, OrbitalOptions options) {
  const auto count = static_cast<std::size_t>(size[0] * size[1] * size[2]);
  const std::vector<T> array = noise_of<T>(count, 4);
  const auto expected = testing::expected(size, options, array);
  for (const OrbitalVariant rival : kRivals) {
    options.variant = rival;
    const auto result = run(extent, size, options, array).result;
    EXPECT_LE(testing::relative_l2(testing::exactly<T>(result), expected),
              testing::allowed<T>(static_cast<std::int64_t>(count)))
        << "P = " << extent;
  }
}

TEST(Broadcasts, FollowTheDefinitions) {
  using T = std::complex<double>;
  for (const unsigned extent : {1u, 2u, 3u, 4u})
    for (const Sign sign : {Sign::forward, Sign::inverse})
      expect_right<T>(extent, testing::cube_size(12), {.sign = sign});
}

TEST(Broadcasts, ComputeOtherKindsOfTransformInOtherOrdersOfTheAxes) {
  for (const std::array<unsigned, 3> axes :
       {std::array{0u, 1u, 2u}, std::array{1u, 0u, 2u}, std::array{2u, 1u, 0u}})
    expect_right<double>(2, {4, 6, 8},
                         {.kinds = {TransformKind::dct, TransformKind::dht, TransformKind::wht},
                          .stage_axes = axes});
  expect_right<std::complex<float>>(3, {3, 6, 9}, {.kinds = {TransformKind::dct}});
}

TEST(Broadcasts, LeaveTheResultInTheLayoutOfTheInput) {
  for (const OrbitalVariant rival : kRivals) {
    const OrbitalPlan plan(testing::cube_size(6), cube_of(3), {.variant = rival});
    for (Rank node = 0; node < 27; ++node) {
      EXPECT_EQ(plan.input_box(node).lo, plan.output_box(node).lo);
      EXPECT_EQ(plan.canonical(node), plan.skewed(node));
    }
  }
}

TEST(Broadcasts, GiveTheSameResultOnEveryRun) {
  using T = std::complex<double>;
  const std::vector<T> array = noise_of<T>(216, 6);
  for (const OrbitalVariant rival : kRivals)
    for (const unsigned extent : {1u, 2u, 3u}) {
      const auto once = run(extent, testing::cube_size(6), {.variant = rival}, array);
      const auto often = run(extent, testing::cube_size(6), {.variant = rival}, array, 4);
      EXPECT_EQ(often.result, once.result);
      EXPECT_EQ(often.shifted, once.shifted);
    }
}

TEST(Broadcasts, GiveTheSameBitsOnRingsAsOnTheModel) {
  using T = std::complex<double>;
  const std::vector<T> array = noise_of<T>(216, 6);
  const auto cases = testing::ring_cases_beside(2 * std::size(kRivals));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const OrbitalVariant rival = kRivals[i / 2];
    const unsigned extent = i % 2 == 0 ? 2 : 3;
    const auto expected = run(extent, testing::cube_size(6), {.variant = rival}, array);
    const OrbitalPlan plan(testing::cube_size(6), cube_of(extent), {.variant = rival});
    for (const auto& c : cases[i]) {
      const auto fabric =
          testing::ring_fabric(cube_of(extent), c.threads, testing::routed(c.route));
      EXPECT_EQ(run_on(*fabric, plan, array, 3).result, expected.result) << c.text();
    }
  }
}

/// In a stage, each node passes on P - 1 blocks of its line. It also passes on P - 1 blocks of
/// coefficients (bbc), or one block of coefficients in every step (bcr).
TEST(Broadcasts, SendAsManyNumbersAsTheReportSays) {
  using T = std::complex<double>;
  constexpr std::uint64_t kEdge = 2;  // edge of a block
  constexpr std::uint64_t kBlock = kEdge * kEdge * kEdge;
  for (const unsigned extent : {2u, 3u, 4u}) {
    const auto n = static_cast<std::int64_t>(kEdge * extent);
    const std::vector<T> array = noise_of<T>(static_cast<std::size_t>(n * n * n), 6);
    for (const OrbitalVariant rival : kRivals) {
      const auto result = run(extent, testing::cube_size(n), {.variant = rival}, array);
      const std::uint64_t coefficients =
          rival == OrbitalVariant::bcr ? extent : std::uint64_t{extent} - 1;
      for (const auto& steps : result.shifted) {
        ASSERT_EQ(steps.size(), 3 * extent);
        std::uint64_t sum = 0;
        for (const std::uint64_t numbers : steps) sum += numbers;
        EXPECT_EQ(sum, 3 * ((extent - 1) * kBlock + coefficients * kEdge * kEdge));
      }
    }
  }
}

}  // namespace
}  // namespace toroid::fft
