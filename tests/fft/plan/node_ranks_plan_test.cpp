// Transforms on nodes with several processors: as ranks of their own, or one beside the other.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <string>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_bounds.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft::node_ranks {
namespace {

using Complex = std::complex<double>;
using testing::equal_bits;
using testing::noise_of;
using toroid::testing::kRoutes;
using toroid::testing::ring_fabric;
using toroid::testing::routed;

Tick bound_of(const Description& description, const Shape& shape, const Machine& machine) {
  const Blueprint blueprint(description, shape);
  TransformBounds bounds(blueprint, machine, Way::forward);
  for (const Way way : {Way::forward, Way::backward}) {
    bounds.begin(way);
    for (std::size_t stage = 0; stage < blueprint.stages().size(); ++stage) bounds.add_stage();
  }
  return bounds.total().max();
}

TEST(NodeRanksPlan, TransformsAsOnATorusWithAsManyNodes) {
  const auto array = noise_of<Complex>(std::size_t{16} * 16 * 16, 1);
  const Machine machine;
  for (const Method method : {Method::volumetric, Method::slab, Method::rows})
    for (const char* torus : {"2x2x2t", "4x4t", "2x2x2x2t", "1x2t"}) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(method), torus));
      const Description description{.size = {16, 16, 16}, .method = method};
      const Shape shape = Shape::parse(torus);
      std::string grid = torus;
      grid.pop_back();  // the same grid of processes, with a link in place of memory
      const auto links = testing::run_plan<Complex, Complex>(
          *make_sim_fabric(Shape::parse(grid), machine), description, array);
      const auto memory =
          testing::run_plan<Complex, Complex>(*make_sim_fabric(shape, machine), description, array);
      EXPECT_TRUE(equal_bits(memory.result, links.result));
      EXPECT_TRUE(equal_bits(memory.back, links.back));
      EXPECT_LE(bound_of(description, shape, machine), memory.cycles);
      for (const RingRoute route : kRoutes) {
        const auto rings = testing::run_plan<Complex, Complex>(
            *ring_fabric(shape, 2, routed(route)), description, array);
        EXPECT_TRUE(equal_bits(rings.result, links.result));
      }
    }
}

/// With a coprocessor, a non-blocking transform hides communication behind computation; the results
/// are the same, and no faster than their bound.
TEST(CoprocessorPlan, OverlapsComputationWithCommunication) {
  const auto array = noise_of<Complex>(std::size_t{32} * 16 * 16, 1);
  const Shape shape = Shape::parse("4x2");
  const Description description{
      .size = {32, 16, 16}, .method = Method::slab, .overlap = {.planes = 1, .window = 2}};
  Machine machine;
  machine.inject_cycles = machine.receive_cycles = 300;
  machine.fft_cycles_factor = 8;
  const auto alone =
      testing::run_plan<Complex, Complex>(*make_sim_fabric(shape, machine), description, array);
  machine.coprocessor = 1;
  const auto beside =
      testing::run_plan<Complex, Complex>(*make_sim_fabric(shape, machine), description, array);
  EXPECT_TRUE(equal_bits(beside.result, alone.result));
  EXPECT_TRUE(equal_bits(beside.back, alone.back));
  EXPECT_LT(beside.cycles, alone.cycles * 9 / 10);
  EXPECT_LE(bound_of(description, shape, machine), beside.cycles);
  const auto threads = testing::run_plan<Complex, Complex>(
      *make_sim_fabric(shape, machine, {.threads = 3}), description, array);
  EXPECT_EQ(threads.cycles, beside.cycles);
}

}  // namespace
}  // namespace toroid::fft::node_ranks
