// The index space: up to six axes of an array, and one axis that counts the arrays of a batch.
// Boxes in this space, and how an extent is split into blocks.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hal/check.hpp"

namespace toroid::fft {

/// Maximum number of axes of an array.
inline constexpr unsigned kMaxAxes = 6;
/// The axis that counts the arrays of a batch. It is never split or transformed.
inline constexpr unsigned kBatchAxis = kMaxAxes;
inline constexpr unsigned kAxes = kMaxAxes + 1;

/// Global index of an element; 0 along axes that the array does not have.
using Index = std::array<std::int64_t, kAxes>;
/// A set of axes.
using Axes = std::array<bool, kAxes>;
/// Axes in memory order, from the slowest to the fastest.
using AxisOrder = std::array<std::uint8_t, kAxes>;

/// C order: the last axis is fastest.
inline constexpr AxisOrder kCOrder = {kBatchAxis, 0, 1, 2, 3, 4, 5};

/// Extents of an array, 1 along axes that it does not have. Throws BadInput if it has more than
/// kMaxAxes axes.
inline Index extents_of(std::span<const std::int64_t> size, std::int64_t batch = 1) {
  if (size.size() > kMaxAxes)
    throw BadInput(fmt::format("an array has 1 to {} axes, not {}", kMaxAxes, size.size()));
  Index extents;
  extents.fill(1);
  std::ranges::copy(size, extents.begin());
  extents[kBatchAxis] = batch;
  return extents;
}

/// The indices with lo <= index < hi along every axis. Empty if any hi <= lo.
struct Box {
  Index lo{};
  Index hi{};

  /// The box of a whole array.
  static Box of(const Index& extents) { return {{}, extents}; }

  std::int64_t length(unsigned axis) const {
    return std::max<std::int64_t>(0, hi[axis] - lo[axis]);
  }
  std::int64_t volume() const {
    std::int64_t product = 1;
    for (unsigned axis = 0; axis < kAxes; ++axis) product *= length(axis);
    return product;
  }
  bool contains(const Index& at) const {
    for (unsigned axis = 0; axis < kAxes; ++axis)
      if (at[axis] < lo[axis] || at[axis] >= hi[axis]) return false;
    return true;
  }
  bool operator==(const Box&) const = default;
};

inline Box intersect(const Box& a, const Box& b) {
  Box both;
  for (unsigned axis = 0; axis < kAxes; ++axis) {
    both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    both.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
  }
  return both;
}

/// Splits n indices into `parts` consecutive blocks whose lengths differ by at most one. If `parts`
/// divides n, all lengths are n / parts, as in the volumetric paper. The paper's conditions with
/// alpha, beta and gamma are not needed.
struct Split {
  std::int64_t n;
  std::int64_t parts;

  /// part · n / parts, without the product, which may overflow.
  std::int64_t begin(std::int64_t part) const {
    return part * (n / parts) + part * (n % parts) / parts;
  }
  std::int64_t end(std::int64_t part) const { return begin(part + 1); }
  std::int64_t length(std::int64_t part) const { return end(part) - begin(part); }
  /// Length of the longest block.
  std::int64_t most() const { return (n + parts - 1) / parts; }
};

}  // namespace toroid::fft
