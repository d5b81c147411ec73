// Plans compute the same bits on rings as on the model, however fast each node is.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"

namespace toroid::fft {
namespace {

using testing::equal_bits;
using testing::kMethods;
using testing::noise_of;
using testing::RingCase;

template <typename In, typename Out>
void expect_agreement_of(const Shape& torus, const Description& d, const RingCase& c,
                         const Machine& machine) {
  SCOPED_TRACE(fmt::format("{} on {} {}", testing::text_of(d), torus.text(), c.text()));
  const auto input = noise_of<In>(static_cast<std::size_t>(Box::of(in_extents(d)).volume()), 11);
  const auto model = make_sim_fabric(torus, machine);
  const auto expected = testing::run_plan<In, Out>(*model, d, input);
  const auto rings = testing::ring_fabric(torus, c.threads, testing::routed(c.route), machine);
  const auto run = testing::run_plan<In, Out>(*rings, d, input, c.node());
  EXPECT_TRUE(equal_bits(run.result, expected.result));
  EXPECT_TRUE(equal_bits(run.back, expected.back));
}

void expect_agreement(const char* text, Description d, const RingCase& c,
                      const Machine& machine = {}) {
  const Shape torus = Shape::parse(text);
  static bool real = false;  // alternates from call to call
  real = !real && d.box_cut == 1;
  if (!real) return expect_agreement_of<Complex, Complex>(torus, d, c, machine);
  d.real = true;
  d.precision = Precision::single;
  expect_agreement_of<float, std::complex<float>>(torus, d, c, machine);
}

/// Both routes with up to three workers. The cases also vary the routing and the seed.
std::vector<RingCase> some_ring_cases() {
  std::vector<RingCase> cases = testing::ring_cases();
  std::erase_if(cases, [](const RingCase& c) {
    const bool adaptive = c.routing == RoutingRule::adaptive;
    return c.threads > 3 || adaptive == (c.threads == 2);
  });
  return cases;
}

TEST(PlanAgreement, EveryMethodGivesTheModelsBitsOnEveryShape) {
  const auto cases = some_ring_cases();
  std::size_t next = 0;
  for (const char* torus : testing::kRingShapes)
    for (const Method method : kMethods) {
      if (method == Method::slab && Shape::parse(torus).size() > 7) continue;
      expect_agreement(torus, {.size = {9, 8, 7}, .method = method, .overlap = {1, 2}},
                       cases[next++ % cases.size()]);
    }
}

TEST(PlanAgreement, EveryMethodGivesTheModelsBitsOnEveryRouteWithUpToThreeWorkers) {
  for (const RingCase& c : some_ring_cases())
    for (const Method method : kMethods)
      expect_agreement("2x3",
                       {.size = {13, 9, 10},
                        .method = method,
                        .batch = 2,
                        .return_to_input = true,
                        .overlap = {2, 2}},
                       c);
}

TEST(PlanAgreement, ABoxCutInPiecesGivesTheModelsBits) {
  for (const RingCase& c : some_ring_cases())
    expect_agreement(
        "2x2", {.size = {8, 12, 16}, .method = Method::slab, .box_cut = 2, .overlap = {1, 3}}, c);
}

TEST(PlanAgreement, RowsOfManyAxesGiveTheModelsBits) {
  for (const RingCase& c : some_ring_cases())
    expect_agreement("2x2", {.size = {3, 4, 2, 2, 3}, .method = Method::rows}, c);
}

TEST(PlanAgreement, IdleNodesDoNotChangeTheBits) {
  for (const RingCase& c : some_ring_cases()) {
    expect_agreement("3x3", {.size = {4, 4}, .method = Method::rows, .return_to_input = true}, c);
    expect_agreement("2x3x2", {.size = {3, 1, 3}, .return_to_input = true}, c);
  }
}

TEST(PlanAgreement, EveryMethodGivesTheModelsBitsThroughTheSmallestBuffers) {
  for (const RingCase& c : some_ring_cases())
    for (const Method method : kMethods)
      expect_agreement("3x2", {.size = {6, 10, 9}, .method = method, .overlap = {1, 3}}, c,
                       testing::smallest_buffers());
}

using Side = testing::PlanNode<Complex, Complex>;

/// A long computation that makes a node late.
double long_computation(unsigned steps) {
  double sum = 0;
  for (unsigned i = 1; i <= steps; ++i) sum += 1 / (static_cast<double>(i) * i);
  return sum;
}

/// Makes a different node late in every call.
Program come_late(Node& node, Side* side, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    if (node.rank() == round % node.size()) TOROID_CHECK_LT(1, long_computation(300'000));
    co_await side->plan.forward(side->in, side->out);
    if (node.rank() == (round + 1) % node.size()) TOROID_CHECK_LT(1, long_computation(300'000));
    co_await side->plan.backward(side->out, side->in, Scale::by_n);
  }
  co_await side->plan.forward(side->in, side->out);
}

std::vector<Complex> with_late_nodes(Fabric& fabric, const Description& d,
                                     const std::vector<Complex>& input) {
  const auto blueprint = std::make_shared<const Blueprint>(d, fabric.shape());
  Runner runner(fabric);
  std::deque<Side> sides;
  runner.run([&](Node& node) {
    Side& side = sides.emplace_back(node, blueprint);
    testing::for_each_element(blueprint->in_extents(), side.plan.input_layout(),
                              [&](std::size_t from, std::size_t to) { side.in[to] = input[from]; });
    return come_late(node, &side, 5);
  });
  std::vector<Complex> result(input.size());
  for (const Side& side : sides)
    testing::for_each_element(
        blueprint->out_extents(), side.plan.output_layout(),
        [&](std::size_t to, std::size_t from) { result[to] = side.out[from]; });
  return result;
}

TEST(PlanAgreement, LateNodesDoNotChangeTheBits) {
  const std::vector<Complex> input = noise_of<Complex>(720, 2);
  for (const Method method : kMethods)
    for (const RingRoute route : testing::kRoutes)
      for (const unsigned workers : {1u, 3u}) {
        const Description d{.size = {8, 9, 10}, .method = method, .overlap = {1, 2}};
        const Shape torus = Shape::parse("2x2");
        const auto model = make_sim_fabric(torus, Machine{});
        const auto rings = testing::ring_fabric(torus, workers, testing::routed(route));
        EXPECT_TRUE(
            equal_bits(with_late_nodes(*rings, d, input), with_late_nodes(*model, d, input)));
      }
}

}  // namespace
}  // namespace toroid::fft
