// Violations of the preconditions of the public headers in fft/.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <memory>

#include "fft/execute/call_time.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/partitions.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/transform.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/redistribution_plan.hpp"
#include "fft/plan/transform_bounds.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/violations.hpp"

namespace toroid::fft {
namespace {

using testing::SimMachine;
using testing::Violation;

std::shared_ptr<const Blueprint> small_blueprint() {
  return std::make_shared<const Blueprint>(Description{.size = {4, 4, 4}}, Shape::parse("2"));
}

/// 4 x 4 elements in rows, divided among `parts` nodes.
Distribution rows_on(Rank parts) {
  return line_parts(extents_of(std::array<std::int64_t, 2>{4, 4}), lines_order(1), parts);
}

/// The lines 1 to 6 of 4 x 4, which are two boxes or more.
NodeLayout several_boxes() {
  const Index extents = extents_of(std::array<std::int64_t, 3>{4, 4, 4});
  return NodeLayout::lines(Box::of(extents), kCOrder, 1, 6);
}

/// An orbital transform of 4 x 4 x 4 elements on 2 x 2 x 2 nodes, as node 0 sees it. Nothing ever
/// arrives.
struct OneTransform {
  static constexpr unsigned kExtent = 2;
  OneTransform()
      : sim(Shape::parse("2x2x2"), {.settings = {.output_queues = 2}}),
        plan({4, 4, 4}, Shape::parse("2x2x2"), {}),
        transform(sim.node(0), plan) {}
  /// Sends a step's blocks without waiting for the next ones.
  void send(unsigned step) {
    for (RingShift* const shift : transform.reads(step)) {
      shift->release();
      shift->advance();
    }
  }

  SimMachine sim;
  OrbitalPlan plan;
  OrbitalTransform<std::complex<double>> transform;
};

/// [stage]: its first step.
constexpr unsigned first_step(unsigned stage) {
  return stage * OneTransform::kExtent;
}

const Violation kAborting[] = {
    {"fft/layout/distribution.hpp:PieceCut", "0 < rule.planes",
     [] { const PieceCut cut(PieceRule{}, 4); }},
    {"fft/layout/node_layout.hpp:with_gaps", "boxes_.size",
     [] { (void)several_boxes().with_gaps(); }},
    {"fft/layout/node_layout.hpp:with_gaps_between_planes", "boxes_.size",
     [] { (void)several_boxes().with_gaps_between_planes(); }},
    {"fft/layout/node_layout.hpp:planes", "boxes_.size",
     [] { (void)several_boxes().planes(0, 0, 1); }},
    {"fft/layout/partitions.hpp:on_nodes", "elements_on",
     [] { (void)on_nodes(rows_on(2), std::array<Rank, 1>{0}, 4); }},
    {"fft/orbital/base.hpp:begin_stage", "has_ended",
     [] {
       OneTransform one;
       one.transform.begin_stage(first_step(0));
       one.send(first_step(0));
       one.transform.begin_stage(first_step(1));
     }},
    {"fft/orbital/base.hpp:transform_block", "has_arrived",
     [] {
       OneTransform one;
       one.transform.begin_stage(first_step(0));
       one.send(first_step(1));
       (void)one.transform.transform_block(1);
     }},
    {"fft/orbital/base.hpp:begin_step", "has_arrived",
     [] {
       OneTransform one;
       one.transform.begin_stage(first_step(0));
       one.send(first_step(0));
       one.transform.begin_step(first_step(0) + 1);
     }},
    {"fft/orbital/base.hpp:end_run", "has_ended",
     [] {
       OneTransform one;
       one.send(first_step(2));
       one.transform.end_run();
     }},
    {"fft/orbital/base.hpp:array", "block != nullptr",
     [] { (void)OneTransform().transform.output(); }},
    {"fft/plan/transform_bounds.hpp:TransformBounds", "has_dma_engine",
     [] {
       const auto blueprint = small_blueprint();
       const TransformBounds bounds(*blueprint, Machine{}, Way::forward, {.by_engines = true});
     }},
};

const Violation kAbortingInACheckedBuild[] = {
    {"fft/layout/node_layout.hpp:offset", "holds",
     [] {
       (void)NodeLayout::dense(Box::of({2, 2, 2, 2, 2, 2, 1})).offset({2});
     }},
    {"fft/orbital/plan.hpp:frequency_by_digits", "size % extent",
     [] { (void)frequency_by_digits(9, 2, 0); }},
};

const Violation kThrowing[] = {
    {"fft/execute/call_time.hpp:call_time", "has a processor already",
     [] {
       const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
       const Runner runner(*fabric);
       (void)call_time(*fabric, {}, small_blueprint(), Way::forward);
     }},
    {"fft/orbital/base.hpp:end_step", "a RingShift went on before",
     [] {
       OneTransform one;
       one.transform.begin_stage(first_step(0));
       one.transform.end_step(first_step(0));
     }},
    {"fft/plan/redistribution_plan.hpp:redistribution", "each on one node",
     [] { (void)redistribution(rows_on(4), rows_on(2), Shape::parse("2")); }},
};

TEST(FftPreconditionsDeathTest, AbortIfViolated) {
  testing::expect_aborts(kAborting);
}

TEST(FftPreconditionsDeathTest, AbortIfViolatedInACheckedBuild) {
  testing::expect_aborts_in_a_checked_build(kAbortingInACheckedBuild);
}

TEST(FftPreconditions, ThrowIfViolated) {
  testing::expect_thrown(kThrowing);
}

}  // namespace
}  // namespace toroid::fft
