// Layouts of one node and distributions over all nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "hal/large_pages.hpp"
#include "hal/shape.hpp"
#include "tests/fft/layout/distributions.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"

namespace toroid::fft {
namespace {

TEST(Split, CutsIntoConsecutiveBlocksWhoseLengthsDifferByAtMostOne) {
  for (std::int64_t n = 0; n <= 20; ++n)
    for (std::int64_t parts = 1; parts <= 25; ++parts) {
      const Split split{n, parts};
      std::int64_t next = 0;
      std::int64_t most = 0;
      for (std::int64_t p = 0; p < parts; ++p) {
        EXPECT_EQ(split.begin(p), next);
        EXPECT_GE(split.length(p), n / parts);
        EXPECT_LE(split.length(p), (n + parts - 1) / parts);
        most = std::max(most, split.length(p));
        next = split.end(p);
      }
      EXPECT_EQ(next, n);
      EXPECT_EQ(split.most(), most);
    }
}

TEST(LocalArray, IsAlignedWhateverItsSize) {
  for (const std::size_t elements : {0u, 1u, 3u, 1000u, 200000u})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(LocalArray(elements).data()) % kMemoryAlignment, 0u);
}

/// The elements of a layout in the order of its local array.
std::map<std::int64_t, std::size_t> elements_by_offset(const Index& extents,
                                                       const NodeLayout& layout) {
  std::map<std::int64_t, std::size_t> elements;
  testing::for_each_element(extents, layout, [&](std::size_t place, std::size_t offset) {
    EXPECT_TRUE(elements.emplace(static_cast<std::int64_t>(offset), place).second);
  });
  EXPECT_EQ(static_cast<std::int64_t>(elements.size()), layout.size());
  return elements;
}

TEST(Distribution, GivesEveryElementToExactlyOneNodeForEveryMethod) {
  testing::for_each_blueprint([](const Blueprint& blueprint) {
    testing::for_each_distribution(blueprint, [&](const Distribution& distribution) {
      std::vector<int> times(static_cast<std::size_t>(Box::of(distribution.extents).volume()));
      for (Rank r = 0; r < blueprint.shape().size(); ++r)
        testing::for_each_element(distribution.extents, distribution.layout(r),
                                  [&](std::size_t place, std::size_t) { ++times[place]; });
      for (const int t : times) ASSERT_EQ(t, 1);
    });
  });
}

TEST(Distribution, GivesEveryElementADistinctLocalPlaceForEveryMethod) {
  testing::for_each_blueprint([](const Blueprint& blueprint) {
    testing::for_each_distribution(blueprint, [&](const Distribution& distribution) {
      for (Rank r = 0; r < blueprint.shape().size(); ++r) {
        const NodeLayout layout = distribution.layout(r);
        const auto elements = elements_by_offset(distribution.extents, layout);
        if (elements.empty()) continue;
        ASSERT_EQ(elements.begin()->first, 0);
        ASSERT_EQ(elements.rbegin()->first, layout.extent() - 1);
      }
    });
  });
}

TEST(Distribution, HasNoGapsInForwardsInputAndOutput) {
  testing::for_each_blueprint([](const Blueprint& blueprint) {
    for (const Distribution* distribution :
         {&blueprint.stages().front().in, &blueprint.stages().back().out})
      for (Rank r = 0; r < blueprint.shape().size(); ++r)
        ASSERT_EQ(distribution->layout(r).extent(), distribution->layout(r).size());
  });
}

TEST(Distribution, HoldsWholeLinesOfTheAxesThatAStageTransforms) {
  testing::for_each_blueprint([](const Blueprint& blueprint) {
    for (const Stage& stage : blueprint.stages())
      for (const Distribution* distribution : {&stage.in, &stage.out})
        for (Rank r = 0; r < blueprint.shape().size(); ++r) {
          const NodeLayout layout = distribution->layout(r);
          for (const Box& box : layout.boxes())
            for (unsigned axis = 0; axis < kAxes; ++axis)
              if (stage.axes[axis]) {
                ASSERT_EQ(box.length(axis), distribution->extents[axis]);
              }
        }
  });
}

/// The paper's equations, which apply here because its conditions hold: A'(i,j,k)[x,y,z] = A(x·nx +
/// i, y·ny + j, z·nz + k), and A''(l,k)[p] = A(floor((p·alpha + l) / ny), (p·alpha + l) mod ny, k)
/// within the block.
TEST(Distribution, FollowsThePapersEquationsForTheVolumetricMethod) {
  const Blueprint blueprint({.size = {8, 8, 8}}, Shape::parse("4x4x4"));
  constexpr std::int64_t n = 2;
  constexpr std::int64_t alpha = 1;  // nx·ny / Pz
  for (Rank r = 0; r < 64; ++r) {
    const std::int64_t x = r / 16, y = r / 4 % 4, z = r % 4;
    const NodeLayout blocks = blueprint.stages()[0].in.layout(r);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t k = 0; k < n; ++k)
          EXPECT_EQ(blocks.offset({x * n + i, y * n + j, z * n + k}), (i * n + j) * n + k);
    const NodeLayout lines = blueprint.stages()[1].in.layout(r);
    for (std::int64_t l = 0; l < alpha; ++l)
      for (std::int64_t k = 0; k < 8; ++k)
        EXPECT_EQ(lines.offset({x * n + (z * alpha + l) / n, y * n + (z * alpha + l) % n, k}),
                  l * 8 + k);
  }
}

AxisOrder axis_lines(unsigned axis) {
  AxisOrder order{};
  std::size_t level = 0;
  for (std::uint8_t a = 0; a < kAxes; ++a)
    if (a != axis) order[level++] = a;
  order[level] = static_cast<std::uint8_t>(axis);
  return order;
}

TEST(NodeLayout, StoresARangeOfLinesOneAfterTheOther) {
  const Box block{{2, 0, 1, 0, 0, 3, 0}, {4, 3, 3, 2, 1, 5, 2}};
  const Index extents{5, 3, 4, 2, 1, 6, 2};
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    const AxisOrder order = axis_lines(axis);
    const std::int64_t length = block.length(axis);
    const auto whole = elements_by_offset(extents, NodeLayout::dense(block, order));
    const std::int64_t lines = block.volume() / length;
    for (std::int64_t first = 0; first <= lines; ++first)
      for (std::int64_t last = first; last <= lines; ++last) {
        const auto some = elements_by_offset(extents, NodeLayout::lines(block, order, first, last));
        ASSERT_EQ(static_cast<std::int64_t>(some.size()), (last - first) * length);
        for (const auto& [offset, place] : some)
          ASSERT_EQ(whole.at(first * length + offset), place);
      }
  }
}

TEST(NodeLayout, WithGapsKeepsTheOrderAndEveryElement) {
  for (const Index& lengths : {Index{16, 16, 16, 1, 1, 1, 2}, Index{1, 32, 3, 1, 1, 1, 1},
                               Index{3, 1, 16, 2, 1, 1, 1}, Index{1, 1, 1, 1, 1, 1, 1}}) {
    const NodeLayout dense = NodeLayout::dense(Box::of(lengths));
    const NodeLayout gaps = dense.with_gaps();
    EXPECT_GE(gaps.extent(), dense.extent());
    const auto before = elements_by_offset(lengths, dense);
    const auto after = elements_by_offset(lengths, gaps);
    EXPECT_EQ(after.rbegin()->first, gaps.extent() - 1);
    auto at = before.begin();
    for (const auto& [offset, place] : after) ASSERT_EQ((at++)->second, place);
  }
  EXPECT_EQ(NodeLayout().with_gaps().extent(), 0);
}

TEST(NodeLayout, KeepsThePlacesOfSelectedPlanes) {
  const Box box{{1, 2, 3, 0, 0, 0, 0}, {4, 6, 5, 1, 1, 1, 2}};
  const NodeLayout layout = NodeLayout::dense(box).with_gaps();
  const NodeLayout planes = layout.planes(1, 3, 5);
  EXPECT_EQ(planes.size(), box.volume() / 2);
  EXPECT_EQ(planes.extent(), layout.extent());
  EXPECT_EQ(planes.offset({2, 4, 3, 0, 0, 0, 1}), layout.offset({2, 4, 3, 0, 0, 0, 1}));
  EXPECT_EQ(layout.planes(1, 6, 9).size(), 0);
}

TEST(NodeLayout, IsEmptyIfItHoldsNoElements) {
  EXPECT_EQ(NodeLayout().size(), 0);
  EXPECT_EQ(NodeLayout::dense({}).extent(), 0);
  EXPECT_EQ(NodeLayout::lines(Box::of({3, 3, 3, 1, 1, 1, 1}), axis_lines(2), 4, 4).extent(), 0);
}

Box box(std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1) {
  return {{x0, y0, 0, 0, 0, 0, 0}, {x1, y1, 1, 1, 1, 1, 1}};
}

std::string check(const std::vector<Box>& boxes, Rank nodes) {
  const std::vector<std::int64_t> size = {4, 5};
  return testing::refusal([&] { check_boxes(extents_of(size), boxes, nodes, "in-box"); });
}

TEST(Boxes, MustCoverTheArrayOnce) {
  EXPECT_EQ(check({box(0, 4, 0, 5)}, 1), "nothing was refused");
  EXPECT_EQ(check({box(0, 4, 0, 3), {}, box(0, 4, 3, 5)}, 3), "nothing was refused");
  EXPECT_EQ(check({box(0, 4, 0, 3), box(4, 4, 1, 5), box(0, 4, 3, 5)}, 3), "nothing was refused");
  EXPECT_THAT(check({box(0, 4, 0, 5), box(9, 9, 0, 2)}, 2), ::testing::HasSubstr("not inside"));
  EXPECT_THAT(check({box(0, 4, 0, 5), box(3, 2, 0, 2)}, 2),
              ::testing::HasSubstr("ends before it begins along axis 0"));
  EXPECT_EQ(check({box(0, 4, 0, 5)}, 2), "1 in-boxes for 2 nodes; expected one per node");
  EXPECT_EQ(check({box(0, 4, 0, 3), box(0, 3, 3, 5)}, 2),
            "in-boxes hold 18 of the array's 20 elements; first missing: (3, 3, 0, 0, 0, 0)");
  EXPECT_EQ(check({box(0, 4, 0, 3), box(3, 4, 2, 5)}, 2), "in-boxes of nodes 0 and 1 overlap");
  EXPECT_THAT(check({box(0, 4, 0, 3), box(0, 4, 3, 6)}, 2), ::testing::HasSubstr("not inside"));
  EXPECT_THAT(check({box(-1, 4, 0, 5)}, 1), ::testing::HasSubstr("[-1, 4)"));
}

}  // namespace
}  // namespace toroid::fft
