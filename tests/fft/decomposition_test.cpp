#include "fft/decomposition.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/fft/transform_run.hpp"

namespace toroid {
namespace {

constexpr std::array kDistributions = {Distribution::blocks, Distribution::z_lines,
                                       Distribution::y_lines, Distribution::x_lines};

/// Shapes and sizes with uneven, empty and single blocks.
std::vector<Decomposition> decompositions() {
  std::vector<Decomposition> all;
  for (const char* torus : {"1", "2x2", "3x2x4", "2x2x2x2", "5x1x3", "7", "1x1x6"})
    for (const Index& size : {Index{7, 7, 7}, Index{8, 8, 8}, Index{5, 3, 11}, Index{2, 9, 4}})
      all.emplace_back(size, Shape::parse(torus));
  return all;
}

TEST(Split, CutsIntoConsecutiveBlocksWhoseLengthsDifferByAtMostOne) {
  for (std::int64_t n = 0; n <= 20; ++n)
    for (std::int64_t parts = 1; parts <= 25; ++parts) {
      const Split split{n, parts};
      std::int64_t next = 0;
      for (std::int64_t p = 0; p < parts; ++p) {
        EXPECT_EQ(split.begin(p), next);
        EXPECT_GE(split.length(p), n / parts);
        EXPECT_LE(split.length(p), (n + parts - 1) / parts);
        for (; next < split.end(p); ++next) EXPECT_EQ(split.owner(next), p);
      }
      EXPECT_EQ(next, n);
    }
}

TEST(Decomposition, GivesEveryElementToExactlyOneNodeAndOwnerNamesIt) {
  for (const Decomposition& d : decompositions())
    for (const Distribution distribution : kDistributions) {
      std::vector<int> times(static_cast<std::size_t>(d.volume()));
      for (Rank r = 0; r < d.grid().shape().size(); ++r) {
        const GridCoord node = d.grid().coord(r);
        const NodeLayout layout = d.layout(distribution, node);
        for (const Box& box : layout.boxes())
          for (auto i = box.lo[0]; i < box.hi[0]; ++i)
            for (auto j = box.lo[1]; j < box.hi[1]; ++j)
              for (auto k = box.lo[2]; k < box.hi[2]; ++k) {
                ++times[testing::place(d.size(), i, j, k)];
                ASSERT_EQ(d.owner(distribution, {i, j, k}), node);
              }
      }
      for (const int t : times) ASSERT_EQ(t, 1);
    }
}

TEST(Decomposition, GivesEveryElementAPlaceOfItsOwnInTheLocalArray) {
  for (const Decomposition& d : decompositions())
    for (const Distribution distribution : kDistributions)
      for (Rank r = 0; r < d.grid().shape().size(); ++r) {
        const NodeLayout layout = d.layout(distribution, d.grid().coord(r));
        std::set<std::int64_t> offsets;
        for (const Box& box : layout.boxes())
          for (auto i = box.lo[0]; i < box.hi[0]; ++i)
            for (auto j = box.lo[1]; j < box.hi[1]; ++j)
              for (auto k = box.lo[2]; k < box.hi[2]; ++k) {
                offsets.insert(layout.offset({i, j, k}));
              }
        ASSERT_EQ(static_cast<std::int64_t>(offsets.size()), layout.size());
        if (!offsets.empty()) {
          ASSERT_EQ(*offsets.begin(), 0);
          ASSERT_EQ(*offsets.rbegin(), layout.extent() - 1);
        }
      }
}

TEST(Decomposition, KeepsWholeLinesAndTheArraysFastestAxisContiguousInBoxes) {
  for (const Decomposition& d : decompositions())
    for (unsigned axis = 0; axis < 3; ++axis)
      for (Rank r = 0; r < d.grid().shape().size(); ++r) {
        const NodeLayout layout = d.layout(lines_along(axis), d.grid().coord(r));
        const bool one_box = layout.boxes().size() == 1;
        ASSERT_EQ(layout.size() == 0 ? 1 : layout.stride(one_box ? 2 : axis), 1);
        for (const Box& box : layout.boxes()) ASSERT_EQ(box.length(axis), d.size()[axis]);
      }
}

/// A'(i,j,k)[x,y,z] = A(x·nx + i, y·ny + j, z·nz + k), and A''(l,k)[p] = A(floor((p·alpha + l) /
/// ny), (p·alpha + l) mod ny, k) within the block: the paper's equations, where its conditions
/// hold.
TEST(Decomposition, FollowsThePapersEquations) {
  const Decomposition d({8, 8, 8}, Shape::parse("4x4x4"));
  constexpr std::int64_t n = 2;
  constexpr std::int64_t alpha = 1;  // nx·ny / Pz
  for (Rank x = 0; x < 4; ++x)
    for (Rank y = 0; y < 4; ++y)
      for (Rank z = 0; z < 4; ++z) {
        const NodeLayout blocks = d.layout(Distribution::blocks, {x, y, z});
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = 0; k < n; ++k)
              EXPECT_EQ(blocks.offset({x * n + i, y * n + j, z * n + k}), (i * n + j) * n + k);
        const NodeLayout lines = d.layout(Distribution::z_lines, {x, y, z});
        for (std::int64_t l = 0; l < alpha; ++l)
          for (std::int64_t k = 0; k < 8; ++k)
            EXPECT_EQ(lines.offset({x * n + (z * alpha + l) / n, y * n + (z * alpha + l) % n, k}),
                      l * 8 + k);
      }
}

}  // namespace
}  // namespace toroid
