// The cover of all pairs, checked by enumeration.
#include "tests/pairwise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <vector>

namespace toroid::testing {
namespace {

const std::vector<Combination> kSizes = {
    {1, 1},       {2, 3},      {3, 2},        {5, 1, 4},       {2, 2, 2},
    {3, 3, 3, 3}, {23, 10, 6}, {23, 5, 2, 6}, {4, 6, 2, 3, 3}, {1, 1, 1, 7},
    {7, 7, 7, 7}, {13, 11, 5}, {23, 4, 2, 6}, {2, 30, 2, 2},   {9, 6, 6, 6}};

std::set<Combination> pairs_of(const Combinations& rows, std::size_t a, std::size_t b) {
  std::set<Combination> pairs;
  for (const Combination& row : rows) pairs.insert({row[a], row[b]});
  return pairs;
}

std::size_t largest_product(const Combination& sizes) {
  Combination sorted = sizes;
  std::ranges::sort(sorted, std::greater());
  return sorted[0] * sorted[1];
}

void expect_in_range(const Combinations& rows, const Combination& sizes) {
  for (const Combination& row : rows) {
    ASSERT_EQ(row.size(), sizes.size());
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) ASSERT_LT(row[axis], sizes[axis]);
  }
}

TEST(Pairwise, EveryPairOfValuesOfTwoAxesOccurs) {
  for (const Combination& sizes : kSizes) {
    const Combinations rows = every_pair(sizes);
    expect_in_range(rows, sizes);
    for (std::size_t a = 0; a < sizes.size(); ++a)
      for (std::size_t b = a + 1; b < sizes.size(); ++b)
        EXPECT_EQ(pairs_of(rows, a, b).size(), sizes[a] * sizes[b]) << "axes " << a << ", " << b;
  }
}

/// A cover needs at least as many rows as there are pairs of values of the two largest axes.
TEST(Pairwise, NeedsFewRowsMoreThanTheMinimum) {
  for (const Combination& sizes : kSizes) {
    const std::size_t least = largest_product(sizes);
    EXPECT_LE(every_pair(sizes).size(), least + least / 2 + sizes.size()) << "least " << least;
  }
  for (const Combination& sizes : {Combination{23, 10, 6}, Combination{23, 12}})
    EXPECT_EQ(every_pair(sizes).size(), largest_product(sizes));
}

TEST(Pairwise, OfTwoAxesIsEveryCombination) {
  Combinations rows = every_pair({5, 3});
  std::ranges::sort(rows);
  EXPECT_EQ(rows, every_combination({5, 3}));
  EXPECT_EQ(every_pair({4}), (Combinations{{0}, {1}, {2}, {3}}));
}

TEST(Pairwise, UsesTheValuesOfAnAxisAboutEquallyOften) {
  const Combinations rows = every_pair({23, 10, 6});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<std::size_t> uses(axis == 0 ? 23 : axis == 1 ? 10 : 6);
    for (const Combination& row : rows) ++uses[row[axis]];
    const auto [least, most] = std::ranges::minmax(uses);
    EXPECT_LE(most, 2 * least) << "axis " << axis;
  }
}

TEST(EveryCombination, OccursOnce) {
  const Combinations rows = every_combination({2, 3, 4});
  expect_in_range(rows, {2, 3, 4});
  EXPECT_EQ(std::set<Combination>(rows.begin(), rows.end()).size(), 24u);
  EXPECT_EQ(rows.size(), 24u);
}

TEST(EveryValue, OfEachAxisOccurs) {
  const Combination sizes{4, 7, 2};
  const Combinations rows = every_value(sizes);
  expect_in_range(rows, sizes);
  EXPECT_EQ(rows.size(), 7u);
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    std::set<std::size_t> values;
    for (const Combination& row : rows) values.insert(row[axis]);
    EXPECT_EQ(values.size(), sizes[axis]);
  }
}

TEST(EveryValue, CombinesTheValuesOfDifferentAxesInManyWays) {
  const Combinations rows = every_value({8, 2, 4, 2});
  EXPECT_EQ(pairs_of(rows, 1, 2).size(), 8u);
  EXPECT_EQ(pairs_of(rows, 1, 3).size(), 4u);
  EXPECT_GT(pairs_of(rows, 2, 3).size(), 4u);
  std::set<Combination> parities;
  for (const Combination& row : rows) parities.insert({row[0] % 2, row[1]});
  EXPECT_EQ(parities.size(), 4u);
}

}  // namespace
}  // namespace toroid::testing
