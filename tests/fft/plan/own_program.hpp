// The first example of docs/FFT.md as a test: a plan that is a local of its program, a wave that it
// transforms there and back, and the sizes, policies and tori under which this must be right.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tests/scale.hpp"

namespace toroid::testing {

using Numbers = std::vector<std::complex<double>>;

/// The wave exp(2πi·k·x/n) with one frequency k per axis; its transform is n³ at k and 0 elsewhere.
struct Wave {
  std::int64_t n;
  std::array<std::int64_t, 3> k;

  std::complex<double> at(const fft::Index& x) const {
    const std::int64_t turns = (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]) % n;
    return std::polar(1.0,
                      2 * std::numbers::pi * static_cast<double>(turns) / static_cast<double>(n));
  }
  std::complex<double> transformed(const fft::Index& x) const {
    const bool is_k = x[0] == k[0] && x[1] == k[1] && x[2] == k[2];
    return is_k ? static_cast<double>(n * n * n) : 0.0;
  }
};

template <typename Visit>
void for_each(const fft::NodeLayout& layout, const Visit& visit) {
  for (const fft::Box& box : layout.boxes()) {
    fft::Index at = box.lo;
    for (at[0] = box.lo[0]; at[0] < box.hi[0]; ++at[0])
      for (at[1] = box.lo[1]; at[1] < box.hi[1]; ++at[1])
        for (at[2] = box.lo[2]; at[2] < box.hi[2]; ++at[2])
          visit(at, static_cast<std::size_t>(layout.offset(at)));
  }
}

/// The largest errors of the forward transform, and of there and back.
struct RoundTrip {
  double forward = 0;
  double back = 0;
};

inline Program there_and_back(Node& node, Wave wave, RoundTrip* errors) {
  fft::Plan plan(node, {.size = {wave.n, wave.n, wave.n}});
  Numbers in(plan.input_size());
  Numbers out(plan.output_size());
  for_each(plan.input_layout(),
           [&](const fft::Index& x, std::size_t place) { in[place] = wave.at(x); });
  co_await plan.forward(in, out);
  for_each(plan.output_layout(), [&](const fft::Index& x, std::size_t place) {
    errors->forward = std::max(errors->forward, std::abs(out[place] - wave.transformed(x)));
  });
  co_await plan.backward(out, in, fft::Scale::by_n);
  for_each(plan.input_layout(), [&](const fft::Index& x, std::size_t place) {
    errors->back = std::max(errors->back, std::abs(in[place] - wave.at(x)));
  });
}

/// A size, a policy and a torus.
struct OwnProgramCase {
  std::int64_t n;
  const Policy* policy;
  const char* torus;

  std::string text() const {
    return torus + std::string(" ") + std::string(policy->name()) + " " + std::to_string(n);
  }
  Shape shape() const { return Shape::parse(torus); }
  Wave wave() const { return {n, {1 % n, n - 1, 2 % n}}; }
  /// Options of the nodes; none if the policy does not run on this machine.
  std::optional<NodeOptions> options() const {
    try {
      const fft::Blueprint blueprint({.size = {n, n, n}}, shape());
      return fft::node_options(blueprint, Machine{}, {.policy = policy});
    } catch (const BadInput&) {
      return {};
    }
  }
  void expect_right(const std::vector<RoundTrip>& errors) const {
    for (const RoundTrip& of_node : errors) {
      EXPECT_LT(of_node.forward, 1e-11 * static_cast<double>(n * n * n));
      EXPECT_LT(of_node.back, 1e-12);
    }
  }
};

/// In the thorough set all cases; in the landing set `drawn` of them.
inline std::vector<OwnProgramCase> own_program_cases(int drawn) {
  std::vector<OwnProgramCase> all, some;
  for (const std::int64_t n : {2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33})
    for (const Policy* policy : built_in_policies())
      for (const char* torus : {"4x4x4", "4x4x1", "3x2x5"}) all.push_back({n, policy, torus});
  if (is_thorough()) return all;
  Random random(2026, 0);
  for (int i = 0; i < drawn; ++i)
    some.push_back(all[random.below(static_cast<std::uint32_t>(all.size()))]);
  return some;
}

}  // namespace toroid::testing
