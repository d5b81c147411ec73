// Copies between arrays whose axes have different orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "fft/layout/strided_copy.hpp"

namespace toroid::fft {
namespace {

using Counts = std::vector<std::int64_t>;

/// Strides of a dense array whose axes have the given order, from the slowest to the fastest, with
/// `gap` unused elements after every line.
Counts dense_strides(const Counts& counts, const std::vector<std::size_t>& order,
                     std::int64_t gap) {
  Counts strides(counts.size());
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = stride * counts[order[i]] + gap;
  }
  return strides;
}

std::int64_t length_of(const Counts& counts, const Counts& strides) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) last += (counts[i] - 1) * strides[i];
  return last + 1;
}

std::int64_t place_of(std::int64_t number, const Counts& counts, const Counts& strides) {
  std::int64_t place = 0;
  for (std::size_t i = counts.size(); i-- > 0;) {
    place += number % counts[i] * strides[i];
    number /= counts[i];
  }
  return place;
}

void expect_copied(const Counts& counts, const Counts& from, const Counts& to, CopyRange range,
                   std::uint32_t bytes) {
  std::vector<std::byte> source(static_cast<std::size_t>(length_of(counts, from)) * bytes);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 37 % 251);
  std::vector<std::byte> target(static_cast<std::size_t>(length_of(counts, to)) * bytes);
  std::vector<std::byte> expected = target;
  for (std::int64_t n = range.first; n < range.first + range.count; ++n)
    std::copy_n(source.begin() + place_of(n, counts, from) * bytes, bytes,
                expected.begin() + place_of(n, counts, to) * bytes);
  NestedLoops loops;
  for (std::size_t i = 0; i < counts.size(); ++i) loops.push({counts[i], from[i], to[i]});
  copy_strided(loops, range, bytes, source.data(), target.data());
  ASSERT_EQ(target, expected);
}

TEST(StridedCopy, CopiesEveryRangeOfASmallBoxBetweenAllOrdersOfItsAxes) {
  const Counts counts{2, 3, 4};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    const Counts from = dense_strides(counts, order, 0);
    const Counts to = dense_strides(counts, {0, 1, 2}, 1);
    for (std::int64_t first = 0; first < 24; ++first)
      for (std::int64_t count = 1; first + count <= 24; ++count)
        for (const std::uint32_t bytes : {4u, 8u, 16u})
          expect_copied(counts, from, to, {first, count}, bytes);
  } while (std::ranges::next_permutation(order).found);
}

TEST(StridedCopy, CopiesRandomBoxesAndRanges) {
  std::mt19937_64 engine(5);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(engine() % n); };
  for (int i = 0; i < 300; ++i) {
    Counts counts(1 + engine() % NestedLoops::kMost);
    for (std::int64_t& count : counts)
      count = 1 + below(counts.size() < 4 ? 40 : counts.size() < 6 ? 7 : 4);
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), engine);
    const Counts from = dense_strides(counts, order, below(3));
    std::shuffle(order.begin(), order.end(), engine);
    const Counts to = dense_strides(counts, order, below(3));
    const std::int64_t all =
        std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>{});
    const std::int64_t first = i % 3 == 0 ? 0 : below(static_cast<std::uint64_t>(all));
    const std::int64_t count =
        i % 3 == 0 ? all : 1 + below(static_cast<std::uint64_t>(all - first));
    expect_copied(counts, from, to, {first, count}, 4u << engine() % 3);
  }
}

}  // namespace
}  // namespace toroid::fft
