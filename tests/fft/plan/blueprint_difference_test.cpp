// Nodes that make different plans are told the difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/partitions.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/blueprint_difference.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "fft/plan/redistribution_plan.hpp"
#include "fft/plan/square_matrix.hpp"
#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid::fft {
namespace {

using ::testing::HasSubstr;
using Complex = std::complex<double>;

std::string text_of_difference(const Blueprint& a, const Blueprint& b) {
  const auto found = difference(a, b);
  return found ? found->field + ": " + found->a + " and " + found->b : "none";
}

std::string difference_of(const Description& a, const Description& b, const char* torus = "4") {
  return text_of_difference({a, Shape::parse(torus)}, {b, Shape::parse(torus)});
}

/// Boxes of 4 nodes: the first two hold the halves of an array of 4x4x4.
std::vector<Box> halves(unsigned axis) {
  std::vector<Box> boxes(4);
  boxes[0] = boxes[1] = {{0, 0, 0}, {4, 4, 4}};
  boxes[0].hi[axis] = boxes[1].lo[axis] = 2;
  return boxes;
}

Description orbital_by(const std::vector<Complex>& matrix) {
  return {.size = {2, 2, 2},
          .method = Method::orbital,
          .kinds = {std::make_shared<const SquareMatrix>("m", 2, matrix)}};
}

/// A change of one field, and the difference that it makes.
struct Change {
  std::function<void(Description&)> make;
  const char* difference;
};

TEST(BlueprintDifference, NamesTheFieldAndBothValues) {
  const std::vector<Change> changes = {
      {[](auto& d) {
         d.size = {4, 4, 5};
       },
       "size: 4x4x4 and 4x4x5"},
      {[](auto& d) { d.method = Method::rows; }, "method: slab and rows"},
      {[](auto& d) { d.layer = Layer::message_passing; }, "layer: packets and mpi"},
      {[](auto& d) { d.precision = Precision::single; }, "precision: double and single"},
      {[](auto& d) { d.real = true; }, "real: false and true"},
      {[](auto& d) { d.batch = 2; }, "batch: 1 and 2"},
      {[](auto& d) { d.return_to_input = true; }, "return_to_input: false and true"},
      {[](auto& d) { d.overlap.planes = 1; }, "overlap.planes: 0 and 1"},
      {[](auto& d) { d.overlap.backward_planes = 1; }, "overlap.backward_planes: 0 and 1"},
      {[](auto& d) { d.overlap.window = 3; }, "overlap.window: 16 and 3"},
      {[](auto& d) { d.overlap.taper = true; }, "overlap.taper: false and true"},
      {[](auto& d) { d.overlap.start = Start::lines; }, "overlap.start: exchange and lines"},
      {[](auto& d) { d.scheduling[1] = -1; }, "scheduling: 1,1,1 and 1,-1,1"},
      {[](auto& d) {
         d.stage_axes = {0, 1, 2};
       },
       "stage_axes: 2,0,1 and 0,1,2"},
      {[](auto& d) { d.variant = OrbitalVariant::bbc; }, "variant: cra and bbc"},
      {[](auto& d) { d.may_leave_gaps = true; }, "may_leave_gaps: false and true"},
      {[](auto& d) { d.first = Way::backward; }, "first: forward and backward"},
      {[](auto& d) { d.in_boxes = halves(0); }, "in_boxes: 0 boxes and 4 boxes"},
      {[](auto& d) { d.out_boxes = halves(0); }, "out_boxes: 0 boxes and 4 boxes"}};
  const Description d{.size = {4, 4, 4}, .method = Method::slab};
  EXPECT_EQ(difference_of(d, d), "none");
  for (const Change& change : changes) {
    Description changed = d;
    change.make(changed);
    EXPECT_EQ(difference_of(d, changed), change.difference);
  }
}

TEST(BlueprintDifference, IgnoresFieldsOfANodesOwnWork) {
  const Description d{.size = {4, 4, 4}, .method = Method::slab};
  Description own = d;
  own.overlap.test_interval = 3;
  own.cores = 2;
  own.rigor = Rigor::measure;
  own.library = LibraryName::kissfft;
  own.times_packets = true;
  EXPECT_EQ(difference_of(d, own), "none");
}

TEST(BlueprintDifference, ComparesBoxesAndMatricesByTheirContents) {
  Description by_x{.size = {4, 4, 4}, .in_boxes = halves(0)};
  Description by_y{.size = {4, 4, 4}, .in_boxes = halves(1)};
  EXPECT_EQ(difference_of(by_x, by_x), "none");
  EXPECT_THAT(difference_of(by_x, by_y), HasSubstr("in_boxes[0]: [0, 2) x [0, 4)"));
  const Description one = orbital_by({1, 2, 3, 4});
  EXPECT_EQ(difference_of(one, orbital_by({1, 2, 3, 4}), "1"), "none");
  EXPECT_EQ(difference_of(one, orbital_by({1, 2, 3, 5}), "1"),
            "kinds[0]: matrix m and a matrix of other numbers");
  EXPECT_EQ(difference_of(one, {.size = {2, 2, 2}, .method = Method::orbital}, "1"),
            "kinds[0]: matrix m and dft");
}

TEST(BlueprintDifference, ComparesTheDistributionsOfRedistributions) {
  const Shape shape = Shape::parse("2");
  const Index array = extents_of(std::vector<std::int64_t>{4, 6});
  const Distribution rows = line_parts(array, lines_order(1), 2);
  const Distribution columns = line_parts(array, lines_order(0), 2);
  const auto there = redistribution(rows, columns, shape);
  EXPECT_EQ(text_of_difference(*there, *redistribution(rows, columns, shape)), "none");
  EXPECT_THAT(text_of_difference(*there, *redistribution(rows, rows, shape)),
              HasSubstr("the part of node (0) in 'to': 12 elements"));
  Description same = there->description();
  same.method = Method::rows;
  const auto stages = redistribution(rows, columns, shape, same);
  EXPECT_EQ(text_of_difference(*stages, Blueprint(same, shape)),
            "its kind: a plan of given stages and a transform");
}

/// A node's plan of its own description. All nodes but the last have the first description.
struct OwnPlan {
  OwnPlan(Node& node, const Description& description)
      : plan(node, description), in(plan.input_size()), out(plan.output_size()) {}
  Plan plan;
  std::vector<Complex> in, out;
};

/// Makes its plan in the program, as on a machine of several hosts.
Program transform_alone(Node& node, const Description& description) {
  OwnPlan own(node, description);
  co_await own.plan.forward(own.in, own.out);
}

std::string failure_of_plans(Fabric& fabric, const Description& first, const Description& last) {
  Runner runner(fabric);
  try {
    runner.run([&](Node& node) {
      return transform_alone(node, node.rank() + 1 == node.size() ? last : first);
    });
  } catch (const RunFailed& failed) {
    return failed.what();
  }
  return "nothing failed";
}

TEST(Plan, TellsNodesThatTheirDescriptionsDiffer) {
  const Description d{.size = {8, 8, 8}, .method = Method::slab};
  Description cut = d;
  cut.box_cut = 2;
  const Shape shape = Shape::parse("2x2");
  const auto on_model = [&](const Description& last) {
    return failure_of_plans(*make_sim_fabric(shape, Machine{}), d, last);
  };
  const auto on_rings = [&](const Description& last) {
    return failure_of_plans(*testing::ring_fabric(shape, 2), d, last);
  };
  EXPECT_EQ(on_model(d), "nothing failed");
  EXPECT_EQ(on_rings(d), "nothing failed");
  for (const std::string& failure : {on_model(cut), on_rings(cut)}) {
    EXPECT_THAT(failure, HasSubstr("nodes disagree on plan 1: box_cut is "));
    EXPECT_THAT(failure, HasSubstr("2 on node (1,1)"));
  }
}

TEST(Plan, TellsADifferenceBeforeTheRunIfPlansAreMadeThen) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  Runner runner(*fabric);
  const Plan first(runner.nodes()[0], {.size = {4, 4, 4}});
  const auto make_other = [&] { const Plan second(runner.nodes()[1], {.size = {4, 4, 5}}); };
  try {
    make_other();
    FAIL() << "nothing failed";
  } catch (const RunFailed& failed) {
    EXPECT_STREQ(failed.what(),
                 "nodes disagree on plan 1: size is 4x4x4 on node (0) and 4x4x5 on node (1); make "
                 "equal plans in the same order on all nodes");
  }
}

TEST(Plan, RefusesNullBlueprintsAndThoseOfOtherMachines) {
  const auto fabric = make_sim_fabric(Shape::parse("2"), Machine{});
  Runner runner(*fabric);
  Node& node = runner.nodes()[0];
  EXPECT_THAT(testing::refusal([&] { const Plan plan(node, std::shared_ptr<const Blueprint>()); }),
              HasSubstr("expected a blueprint"));
  const auto other =
      std::make_shared<const Blueprint>(Description{.size = {4, 4, 4}}, Shape::parse("4x2"));
  EXPECT_EQ(testing::refusal([&] { const Plan plan(node, other); }),
            "a blueprint for 4x2 nodes; expected one for the machine's 2");
}

}  // namespace
}  // namespace toroid::fft
