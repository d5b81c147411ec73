// Forward and inverse in one program without a barrier: the inverse begins from the skewed layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/transform.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
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
using testing::cube_size;
using Complex = std::complex<double>;

constexpr unsigned kTimes = 3;

struct Pair {
  Pair(Node& node, const OrbitalPlan& forward, const OrbitalPlan& inverse)
      : forward(node, forward),
        inverse(node, inverse, OrbitalBase::kFirstHandler + OrbitalBase::kHandlers) {}
  OrbitalTransform<Complex> forward;
  OrbitalTransform<Complex> inverse;
  unsigned times = 0;  ///< number of round trips

  void hand_on() { std::ranges::copy(forward.output(), inverse.input().begin()); }
  void scale_back() {
    const auto n = static_cast<double>(forward.plan().size()[0]);
    const auto scaled = [&](Complex value) { return value / (n * n * n); };
    std::ranges::transform(inverse.output(), forward.input().begin(), scaled);
  }
};

Program there_and_back(Node& node, Pair& pair) {
  for (unsigned i = 0; i < kTimes; ++i) {
    Program there = orbital_transform(node, pair.forward);
    co_await node.perform(there);
    pair.hand_on();
    Program back = orbital_transform(node, pair.inverse);
    co_await node.perform(back);
    pair.scale_back();
    ++pair.times;
  }
}

double error_after_loop(Fabric& fabric, unsigned extent) {
  const ArrayExtents size = cube_size(6);
  const OrbitalPlan forward(size, cube_of(extent), {.alpha = {1, -1, 1}});
  const OrbitalPlan inverse(size, cube_of(extent), {.sign = Sign::inverse, .alpha = {1, -1, 1}});
  const auto array = testing::noise_of<Complex>(216, 8);
  Runner runner(fabric);
  std::deque<Pair> pairs;
  runner.run([&](Node& node) {
    Pair& pair = pairs.emplace_back(node, forward, inverse);
    const std::span<Complex> input = pair.forward.input();
    testing::for_each_in(forward.input_box(node.rank()), size,
                         [&](std::size_t from, std::size_t to) { input[to] = array[from]; });
    return there_and_back(node, pair);
  });
  std::vector<Complex> result(216);
  for (Rank r = 0; r < pairs.size(); ++r) {
    EXPECT_EQ(pairs[r].times, kTimes);
    EXPECT_EQ(pairs[r].forward.numbers_shifted().size(), 3 * extent);
    EXPECT_EQ(pairs[r].inverse.numbers_shifted().size(), 3 * extent);
    const std::span<const Complex> input = pairs[r].forward.input();
    testing::for_each_in(forward.input_box(r), size,
                         [&](std::size_t to, std::size_t from) { result[to] = input[from]; });
  }
  return testing::relative_l2(testing::exactly<Complex>(result), testing::exactly<Complex>(array));
}

TEST(OrbitalLoop, ReturnsTheInputAfterEveryRoundTripOnTheModel) {
  for (const unsigned extent : {1u, 2u, 3u}) {
    const auto fabric = make_sim_fabric(cube_of(extent), Machine{});
    EXPECT_LE(error_after_loop(*fabric, extent), 2 * kTimes * testing::allowed<Complex>(6));
  }
}

TEST(OrbitalLoop, ReturnsTheInputAfterEveryRoundTripOnRings) {
  const auto cases = testing::ring_cases_beside(1);
  for (const auto& c : cases.front()) {
    const auto fabric = testing::ring_fabric(cube_of(3), c.threads, testing::routed(c.route));
    EXPECT_LE(error_after_loop(*fabric, 3), 2 * kTimes * testing::allowed<Complex>(6)) << c.text();
  }
}

}  // namespace
}  // namespace toroid::fft
