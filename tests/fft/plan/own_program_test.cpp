// Plans and convolutions that are locals of a program, as in the first example of docs/FFT.md:
// their nodes go on relaying after the programs have ended.
#include <gmock/gmock.h>

#include <cstdlib>

#include "fft/plan/convolution.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "tests/fft/plan/own_program.hpp"
#include "tests/packet/every_machine.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failure_of.hpp"

namespace toroid {
namespace {

using testing::EmulatedMachine;
using testing::for_each;
using testing::Numbers;
using testing::OwnProgramCase;
using testing::RoundTrip;

void expect_right(const OwnProgramCase& one) {
  SCOPED_TRACE(one.text());
  const std::optional<NodeOptions> options = one.options();
  if (!options) return;  // the policy does not run on this machine
  testing::on_every_machine(one.shape(), *options, [&](EmulatedMachine& machine) {
    std::vector<RoundTrip> errors(machine.size());
    const std::string end = testing::failure_of([&] {
      machine.run(
          [&](Node& node) { return there_and_back(node, one.wave(), &errors[node.rank()]); });
    });
    EXPECT_EQ(end, "nothing failed");
    one.expect_right(errors);
  });
}

TEST(OwnProgram, MayHaveAPlanAsALocalUnderEveryPolicy) {
  for (const OwnProgramCase& one : testing::own_program_cases(testing::scaled(40, 8)))
    expect_right(one);
}

/// The cases that valgrind runs (tools/dev/thorough): every policy that relays or combines.
TEST(OwnProgram, MayHaveAPlanAsALocalUnderEveryRelayingPolicy) {
  const char* const torus = "4x4x1";
  int policies = 0;
  for (const std::int64_t n : testing::full_or<std::vector<std::int64_t>>({2, 3, 8, 33}, {3, 8}))
    for (const Policy* policy : built_in_policies())
      if (relays_or_combines(*policy, Shape::parse(torus))) {
        expect_right({n, policy, torus});
        ++policies;
      }
  EXPECT_GT(policies, 5);
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
