// Input and results in user-defined boxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/shape.hpp"
#include "tests/fft/layout/random_boxes.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"

namespace toroid::fft {
namespace {

using testing::expect_right;
using testing::expect_right_by_turns;
using testing::kMethods;
using testing::random_boxes;
using testing::refusal_of;

using Engine = std::mt19937_64;

TEST(Boxes, MayLieAnywhereInInputAndResultForEveryMethod) {
  Engine engine(3);
  for (const Method method : kMethods)
    for (const char* torus : {"1", "4", "2x3", "2x2x2"})
      for (int i = 0; i < 6; ++i) {
        Description d{.size = {8, 9, 10}, .method = method};
        d.real = i % 2 == 1;
        d.batch = 1 + i % 3;
        d.return_to_input = i == 4;
        d.overlap.planes = i % 4;
        const Rank nodes = Shape::parse(torus).size();
        if (i != 2) d.in_boxes = random_boxes(in_extents(d), nodes, engine);
        if (i != 3) d.out_boxes = random_boxes(out_extents(d), nodes, engine);
        expect_right_by_turns(torus, d);
      }
}

TEST(Boxes, MayLieAnywhereInArraysOfAnyNumberOfAxes) {
  Engine engine(5);
  for (const auto& size : std::vector<std::vector<std::int64_t>>{
           {24, 10}, {5, 6, 4, 7}, {3, 4, 2, 5, 3}, {2, 3, 2, 3, 4, 2}})
    for (const bool real : {false, true}) {
      Description d{.size = size, .method = Method::rows, .real = real};
      d.in_boxes = random_boxes(in_extents(d), 6, engine);
      d.out_boxes = random_boxes(out_extents(d), 6, engine);
      expect_right("2x3", d);
    }
}

TEST(Boxes, MayLieAnywhereInTheResultOfABoxCut) {
  Engine engine(9);
  Description d{.size = {12, 8, 16}, .method = Method::slab, .box_cut = 2, .overlap = {1, 2}};
  d.in_boxes = random_boxes(in_extents(d), 4, engine);
  d.out_boxes = random_boxes(out_extents(d), 4, engine);
  expect_right("2x2", d);
}

TEST(Boxes, MayAllBelongToOneNode) {
  for (const Method method : kMethods) {
    Description d{.size = {6, 6, 6}, .method = method};
    d.in_boxes.resize(4);
    d.in_boxes[2] = Box::of(in_extents(d));
    d.out_boxes.resize(4);
    d.out_boxes[1] = Box::of(in_extents(d));
    expect_right("4", d);
  }
}

TEST(Boxes, NeedNotSetAxesThatTheArrayDoesNotHave) {
  Description d{.size = {4, 6}, .method = Method::rows, .batch = 3};
  d.in_boxes = {{{0, 0}, {4, 3}}, {{0, 3}, {4, 6}}};
  d.out_boxes = {{{2, 0}, {4, 6}}, {{0, 0}, {2, 6}}};
  expect_right("2", d);
}

TEST(Boxes, ReturnToInputFillsTheInBoxes) {
  for (const Method method : kMethods) {
    Description d{.size = {6, 6, 6}, .method = method, .return_to_input = true};
    d.in_boxes.resize(2);
    d.in_boxes[0] = d.in_boxes[1] = Box::of(in_extents(d));
    d.in_boxes[0].hi[1] = d.in_boxes[1].lo[1] = 4;
    const Blueprint blueprint(d, Shape::parse("2"));
    for (const Rank r : {0u, 1u}) {
      const NodeLayout out = blueprint.stages().back().out.layout(r);
      ASSERT_EQ(out.boxes().size(), 1u);
      EXPECT_EQ(out.boxes()[0], d.in_boxes[r]);
    }
    expect_right("2", d);
  }
}

TEST(Boxes, ReturnToInputRefusesAResultOfOtherExtents) {
  Description d{.size = {6, 6, 6}, .real = true, .return_to_input = true};
  d.in_boxes = {Box::of(in_extents(d)), {}};
  EXPECT_THAT(refusal_of("2", d), ::testing::HasSubstr("give out-boxes"));
  d.out_boxes = {{}, Box::of(out_extents(d))};
  EXPECT_EQ(refusal_of("2", d), "nothing was refused");
}

TEST(Boxes, RefuseOverlapsAndGaps) {
  for (const Method method : kMethods) {
    Description d{.size = {6, 6, 6}, .method = method};
    const Box all = Box::of(in_extents(d));
    d.in_boxes = {all};
    EXPECT_EQ(refusal_of("2", d), "1 in-boxes for 2 nodes; expected one per node");
    d.in_boxes = {all, all};
    EXPECT_EQ(refusal_of("2", d), "in-boxes of nodes 0 and 1 overlap");
    d.in_boxes = {{}, {}};
    EXPECT_EQ(refusal_of("2", d),
              "in-boxes hold 0 of the array's 216 elements; first missing: (0, 0, 0, 0, 0, 0)");
    Box most = all;
    most.hi[1] = 5;
    Box rest = all;
    rest.lo[1] = 5;
    rest.lo[2] = 1;
    d.in_boxes = {rest, most};
    EXPECT_EQ(refusal_of("2", d),
              "in-boxes hold 210 of the array's 216 elements; first missing: (0, 5, 0, 0, 0, 0)");
    d.in_boxes = {};
    d.out_boxes = {all, {}};
    EXPECT_EQ(refusal_of("2", d), "nothing was refused");
    d.real = true;  // half a spectrum is smaller than the box
    EXPECT_THAT(refusal_of("2", d), ::testing::HasSubstr("out-box of node 0"));
  }
}

}  // namespace
}  // namespace toroid::fft
