// What one node holds of an array, and where each element stands in the node's memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fft/layout/box.hpp"

namespace toroid {

/// Boxes, and one rule for all of them: an element's place is base + sum of index · stride. So a
/// range of lines of a block, which may be several boxes, stands one line behind the other.
class NodeLayout {
 public:
  NodeLayout() = default;  ///< nothing

  /// One box, its elements without gaps, axes in `order` from slowest to fastest.
  static NodeLayout dense(const Box& box, const AxisOrder& order = kCOrder);
  /// The lines of a block along `axis` with the numbers [first, last): whole lines, one behind the
  /// other, numbered in `order` (whose last axis is `axis`) over the block.
  static NodeLayout lines(const Box& block, const AxisOrder& order, std::int64_t first,
                          std::int64_t last);

  std::span<const Box> boxes() const& { return boxes_; }
  std::span<const Box> boxes() && = delete;  // they would not outlive the statement
  /// Elements.
  std::int64_t size() const { return size_; }
  /// Elements that the local array has room for; more than size() where there are gaps.
  std::int64_t extent() const { return extent_; }
  /// REQUIRES: one of the boxes contains it.
  std::int64_t offset(const Index& at) const {
    std::int64_t place = base_;
    for (unsigned axis = 0; axis < kAxes; ++axis) place += at[axis] * stride_[axis];
    return place;
  }
  std::int64_t stride(unsigned axis) const { return stride_[axis]; }
  const AxisOrder& order() const { return order_; }

  /// A single box with gaps between rows and planes, so that lines along slow axes do not meet in a
  /// few sets of the cache. REQUIRES: at most one box.
  NodeLayout with_gaps() const;
  /// Gaps between planes of the slowest axis only: what belongs to a plane stays together.
  NodeLayout with_gaps_between_planes() const;
  /// The box's planes [begin, end) along an axis, where they stand. REQUIRES: at most one box.
  NodeLayout planes(unsigned axis, std::int64_t begin, std::int64_t end) const;

 private:
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

}  // namespace toroid
