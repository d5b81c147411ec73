// Plans and convolutions that are locals of a program, as in the first example of docs/FFT.md:
// their nodes go on relaying after the programs have ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/convolution.hpp"
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
#include "tests/packet/every_machine.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
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
struct Errors {
  double forward = 0;
  double back = 0;
};

Program there_and_back(Node& node, Wave wave, Errors* errors) {
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
struct Case {
  std::int64_t n;
  const Policy* policy;
  const char* torus;
};

void expect_right(const Case& drawn) {
  SCOPED_TRACE(drawn.torus + std::string(" ") + std::string(drawn.policy->name()) + " " +
               std::to_string(drawn.n));
  const Shape shape = Shape::parse(drawn.torus);
  const fft::Blueprint blueprint({.size = {drawn.n, drawn.n, drawn.n}}, shape);
  NodeOptions options;
  try {
    options = fft::node_options(blueprint, Machine{}, {.policy = drawn.policy});
  } catch (const BadInput&) {
    return;  // the policy does not run on this machine
  }
  const Wave wave{drawn.n, {1 % drawn.n, drawn.n - 1, 2 % drawn.n}};
  testing::on_every_machine(shape, options, [&](EmulatedMachine& machine) {
    std::vector<Errors> errors(machine.size());
    const std::string end = testing::failure_of([&] {
      machine.run([&](Node& node) { return there_and_back(node, wave, &errors[node.rank()]); });
    });
    EXPECT_EQ(end, "nothing failed");
    for (const Errors& of_node : errors) {
      EXPECT_LT(of_node.forward, 1e-11 * static_cast<double>(wave.n * wave.n * wave.n));
      EXPECT_LT(of_node.back, 1e-12);
    }
  });
}

/// The landing set draws some of these cases, the thorough set takes all.
TEST(OwnProgram, MayHaveAPlanAsALocalUnderEveryPolicy) {
  std::vector<Case> cases;
  for (const std::int64_t n : {2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33})
    for (const Policy* policy : built_in_policies())
      for (const char* torus : {"4x4x4", "4x4x1", "3x2x5"}) cases.push_back({n, policy, torus});
  if (testing::is_thorough()) {
    for (const Case& one : cases) expect_right(one);
    return;
  }
  Random random(2026, 0);
  for (int drawn = 0; drawn < testing::scaled(40, 8); ++drawn)
    expect_right(cases[random.below(static_cast<std::uint32_t>(cases.size()))]);
}

std::complex<double> twice(const fft::WaveVector&) {
  return 2.0;
}

Program convolve(Node& node, std::int64_t n, double* error) {
  fft::Convolution convolution(node, {.size = {n, n, n}, .real = true});
  std::vector<double> field(convolution.size(), 1.5);
  co_await convolution.apply(field, field, twice);
  for_each(convolution.layout(), [&](const fft::Index&, std::size_t place) {
    *error = std::max(*error, std::abs(field[place] - 3));
  });
}

TEST(OwnProgram, MayHaveAConvolutionAsALocal) {
  for (const char* policy : {"two-phase", "valiant", "bruck"}) {
    const Shape shape = Shape::parse("4x4x1");
    const fft::Blueprint blueprint({.size = {3, 3, 3}, .real = true}, shape);
    const NodeOptions options =
        fft::node_options(blueprint, Machine{}, {.policy = &policy_by_name(policy)});
    testing::on_every_machine(shape, options, [&](EmulatedMachine& machine) {
      std::vector<double> errors(machine.size());
      machine.run([&](Node& node) { return convolve(node, 3, &errors[node.rank()]); });
      EXPECT_LT(std::ranges::max(errors), 1e-13);
    });
  }
}

// Mistakes.

Program transform_on_all_but_one(Node& node) {
  fft::Plan plan(node, {.size = {4, 4, 4}});
  Numbers in(plan.input_size()), out(plan.output_size());
  if (node.rank() == 1) co_return;
  co_await plan.forward(in, out);
}

Program forget_co_await(Node& node, bool goes_on) {
  fft::Plan plan(node, {.size = {4, 4, 4}});
  Numbers in(plan.input_size()), out(plan.output_size());
  (void)plan.forward(in, out);
  if (goes_on) co_await node.barrier();
  co_return;
}

Program short_arrays(Node& node) {
  fft::Plan plan(node, {.size = {4, 4, 4}});
  Numbers in(plan.input_size() - 1), out(plan.output_size());
  co_await plan.forward(in, out);
}

TEST(OwnProgram, MistakesWithAPlanAreNamed) {
  struct Mistake {
    Program (*program)(Node&);
    const char* said;
  };
  const std::array<Mistake, 4> mistakes = {{
      {transform_on_all_but_one, "wait"},
      {[](Node& node) { return forget_co_await(node, false); }, "without waiting for it"},
      {[](Node& node) { return forget_co_await(node, true); }, "without waiting for it"},
      {short_arrays, "elements"},
  }};
  for (const Mistake& mistake : mistakes)
    for (std::size_t number = 0; number < testing::kMachines; ++number) {
      std::string end = "nothing failed";
      testing::on_machine(number, Shape::parse("2x2x1"), {}, [&](EmulatedMachine& machine) {
        end = testing::failure_of([&] { machine.run(mistake.program); });
      });
      EXPECT_THAT(end, ::testing::HasSubstr(mistake.said));
    }
}

}  // namespace
}  // namespace toroid
