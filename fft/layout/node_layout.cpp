#include "fft/layout/node_layout.hpp"

#include <algorithm>

#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// Enlarges a stride if it causes cache conflicts: if it is a multiple of kTooEven, the elements of
/// a line share a few cache sets. Measured: with the returned strides, transforms along the slow
/// axes of arrays of 64^3 to 256^3 elements take at most half as long as without gaps.
std::int64_t apart(std::int64_t stride) {
  constexpr std::int64_t kTooEven = 16;  // elements
  return stride % kTooEven == 0 ? stride + kTooEven / 2 : stride;
}

/// Strides of a box without gaps.
Index dense_strides(const Box& box, const AxisOrder& order) {
  Index strides{};
  std::int64_t stride = 1;
  for (unsigned level = kAxes; level-- > 0;) {
    strides[order[level]] = stride;
    stride *= std::max<std::int64_t>(1, box.length(order[level]));
  }
  return strides;
}

}  // namespace

void NodeLayout::add(const Box& box) {
  if (box.volume() == 0) return;
  boxes_.push_back(box);
  size_ += box.volume();
}

void NodeLayout::set_strides(const Index& strides, const Index& origin) {
  stride_ = strides;
  base_ = 0;
  for (unsigned axis = 0; axis < kAxes; ++axis) base_ -= origin[axis] * strides[axis];
}

NodeLayout NodeLayout::dense(const Box& box, const AxisOrder& order) {
  NodeLayout layout;
  layout.order_ = order;
  layout.add(box);
  layout.set_strides(dense_strides(box, order), box.lo);
  layout.extent_ = layout.size_;
  return layout;
}

/// Adds the lines [first, last) of a block as boxes. The lines are numbered over the axes
/// order[level..]; along the axes before these, the block has only one index.
void NodeLayout::add_lines(const Box& block, const AxisOrder& order, unsigned level,
                           std::int64_t first, std::int64_t last) {
  if (first >= last) return;
  if (level == kAxes - 1) return add(block);
  std::int64_t below = 1;  // number of lines per step along this level's axis
  for (unsigned l = level + 1; l + 1 < kAxes; ++l) below *= block.length(order[l]);
  const unsigned axis = order[level];
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    Box some = block;
    some.lo[axis] = block.lo[axis] + begin;
    some.hi[axis] = block.lo[axis] + end;
    return some;
  };
  const std::int64_t row = first / below;
  const std::int64_t last_row = last / below;
  if (row == last_row)
    return add_lines(part(row, row + 1), order, level + 1, first % below, last % below);
  const std::int64_t whole = row + (first % below != 0 ? 1 : 0);
  if (whole != row) add_lines(part(row, row + 1), order, level + 1, first % below, below);
  if (whole < last_row) add(part(whole, last_row));
  add_lines(part(last_row, last_row + 1), order, level + 1, 0, last % below);
}

NodeLayout NodeLayout::lines(const Box& block, const AxisOrder& order, std::int64_t first,
                             std::int64_t last) {
  NodeLayout layout;
  layout.order_ = order;
  layout.add_lines(block, order, 0, first, last);
  layout.set_strides(dense_strides(block, order), block.lo);
  layout.base_ -= first * block.length(order[kAxes - 1]);
  layout.extent_ = layout.size_;
  return layout;
}

NodeLayout NodeLayout::with_gaps() const {
  return with_gaps_above(kAxes);
}
NodeLayout NodeLayout::with_gaps_between_planes() const {
  return with_gaps_above(1);
}

/// Returns this layout with gaps between neighbours along the axes order[0..levels).
NodeLayout NodeLayout::with_gaps_above(unsigned levels) const {
  TOROID_CHECK_LE(boxes_.size(), 1u);
  if (boxes_.empty()) return *this;
  NodeLayout layout = *this;
  const Box& box = boxes_[0];
  Index strides{};
  std::int64_t stride = 1;
  layout.extent_ = 1;
  for (unsigned level = kAxes; level-- > 0;) {
    const unsigned axis = order_[level];
    if (level < levels && box.length(axis) > 1 && stride > 1) stride = apart(stride);
    strides[axis] = stride;
    layout.extent_ += (box.length(axis) - 1) * stride;
    stride *= box.length(axis);
  }
  layout.set_strides(strides, box.lo);
  return layout;
}

NodeLayout NodeLayout::planes(unsigned axis, std::int64_t begin, std::int64_t end) const {
  TOROID_CHECK_LE(boxes_.size(), 1u);
  NodeLayout layout = *this;
  layout.boxes_.clear();
  layout.size_ = 0;
  if (boxes_.empty()) return layout;
  Box some = boxes_[0];
  some.lo[axis] = std::max(some.lo[axis], begin);
  some.hi[axis] = std::min(some.hi[axis], end);
  layout.add(some);
  return layout;
}

}  // namespace toroid::fft
