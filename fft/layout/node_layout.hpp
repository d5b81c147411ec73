// One node's part of an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fft/layout/box.hpp"
#include "hal/check.hpp"

namespace toroid::fft {

/// The boxes that a node holds, and the places of their elements in its local array.
///
/// One rule holds for all boxes: an element's place is base + sum of index · stride over the axes.
/// So a range of a block's lines is stored one line after the other, even if the range consists of
/// several boxes.
class NodeLayout {
 public:
  NodeLayout() = default;  ///< a node that holds nothing

  /// One box without gaps, its axes in `order` from the slowest to the fastest.
  static NodeLayout dense(const Box& box, const AxisOrder& order = kCOrder);
  /// The lines [first, last) of a block, stored one after the other. Lines lie along the last axis
  /// of `order` and are numbered in the order of the other axes.
  static NodeLayout lines(const Box& block, const AxisOrder& order, std::int64_t first,
                          std::int64_t last);

  std::span<const Box> boxes() const& { return boxes_; }
  std::span<const Box> boxes() && = delete;  // the boxes would not outlive the statement
  /// Number of elements that the node holds.
  std::int64_t size() const { return size_; }
  /// Number of elements that the local array has room for: more than size() if there are gaps.
  std::int64_t extent() const { return extent_; }
  /// The place of an element. REQUIRES: one of the boxes contains it.
  std::int64_t offset(const Index& at) const {
    TOROID_CHECK_IN_CHECKED_BUILD(holds(at));
    std::int64_t place = base_;
    for (unsigned axis = 0; axis < kAxes; ++axis) place += at[axis] * stride_[axis];
    return place;
  }
  std::int64_t stride(unsigned axis) const { return stride_[axis]; }
  const AxisOrder& order() const { return order_; }

  /// This layout's box with gaps between rows and planes, so that the elements of a line along a
  /// slow axis are spread over the cache sets. REQUIRES: at most one box.
  NodeLayout with_gaps() const;
  /// This layout's box with gaps between planes of the slowest axis only. REQUIRES: at most one
  /// box.
  NodeLayout with_gaps_between_planes() const;
  /// The planes [begin, end) along an axis, at their places in this layout. REQUIRES: at most one
  /// box.
  NodeLayout planes(unsigned axis, std::int64_t begin, std::int64_t end) const;

  bool operator==(const NodeLayout&) const = default;

 private:
  bool holds(const Index& at) const {
    return std::ranges::any_of(boxes_, [&](const Box& box) { return box.contains(at); });
  }
  void add(const Box& box);
  void add_lines(const Box& block, const AxisOrder& order, unsigned level, std::int64_t first,
                 std::int64_t last);
  void set_strides(const Index& strides, const Index& origin);
  NodeLayout with_gaps_above(unsigned levels) const;

  std::vector<Box> boxes_;
  std::int64_t size_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t base_ = 0;
  Index stride_{};
  AxisOrder order_ = kCOrder;
};

}  // namespace toroid::fft
