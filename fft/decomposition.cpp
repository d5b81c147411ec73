#include "fft/decomposition.hpp"

#include <numeric>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// The two axes other than `axis`, slower first: the paper's (x, y) for lines along z, and for y
/// and x the same with the axes turned round cyclically. So consecutive phases share out their
/// lines along different axes, and every node of a plane has something for every other: with one
/// fixed order the second phase would send everything of a node to a single row of the plane.
std::array<unsigned, 2> other_axes(unsigned axis) {
  return {(axis + 1) % 3, (axis + 2) % 3};
}

/// A stride along which a line does not come back to the same sets of the cache every few elements.
/// Measured: transforms along x or y of 64^3 to 256^3 take half the time and less.
std::int64_t apart(std::int64_t stride) {
  constexpr std::int64_t kTooEven = 16;  // elements
  return stride % kTooEven == 0 ? stride + kTooEven / 2 : stride;
}

}  // namespace

void NodeLayout::add(const Box& box) {
  if (box.volume() == 0) return;
  boxes_[count_++] = box;
  size_ += box.volume();
}

/// The (u, v) pairs number first to last-1 of the block in row-major order, as up to three boxes.
void NodeLayout::add_rows(const Box& block, unsigned u, unsigned v, std::int64_t first,
                          std::int64_t last) {
  const std::int64_t width = block.length(v);
  const auto add_part = [&](std::int64_t row, std::int64_t rows, std::int64_t from,
                            std::int64_t to) {
    Box part = block;
    part.lo[u] = block.lo[u] + row;
    part.hi[u] = part.lo[u] + rows;
    part.lo[v] = block.lo[v] + from;
    part.hi[v] = block.lo[v] + to;
    add(part);
  };
  if (first >= last) return;
  std::int64_t row = first / width;
  const std::int64_t last_row = last / width;
  if (row == last_row) return add_part(row, 1, first % width, last % width);
  if (first % width != 0) add_part(row++, 1, first % width, width);
  add_part(row, last_row - row, 0, width);
  if (last % width != 0) add_part(last_row, 1, 0, last % width);
}

/// Offsets are counted in the block, of which this node's part comes after `before` elements.
void NodeLayout::set_order(const std::array<unsigned, 3>& order, const Box& block,
                           std::int64_t before) {
  order_ = order;
  base_ = -before;
  std::int64_t stride = 1;
  for (unsigned i = 3; i-- > 0;) {
    const unsigned axis = order[i];
    stride_[axis] = stride;
    base_ -= block.lo[axis] * stride;
    stride *= std::max<std::int64_t>(1, block.length(axis));
  }
  extent_ = size_;
}

/// Of a single box in the array's own order.
void NodeLayout::set_strides(const Index& strides) {
  CHECK_LE(count_, 1u);
  if (count_ == 0) return;
  const Box& box = boxes_[0];
  stride_ = strides;
  base_ = 0;
  extent_ = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    base_ -= box.lo[axis] * strides[axis];
    extent_ += (box.length(axis) - 1) * strides[axis];
  }
}

NodeLayout NodeLayout::with_gaps() const {
  NodeLayout layout = *this;
  const std::int64_t row = apart(boxes_[0].length(2));
  layout.set_strides({apart(boxes_[0].length(1) * row), row, 1});
  return layout;
}

NodeLayout NodeLayout::one_plane() const {
  NodeLayout layout = *this;
  layout.set_strides({0, stride_[1], stride_[2]});
  return layout;
}

Decomposition::Decomposition(const Index& size, const Shape& shape) : size_(size), grid_(shape) {
  for (const std::int64_t n : size) CHECK(n >= 1);
  const std::int64_t lines = std::max({size[0] * size[1], size[0] * size[2], size[1] * size[2]});
  if (std::int64_t{shape.size()} > lines)
    throw BadInput(fmt::format("{}x{}x{} has at most {} lines to share out; torus {} has {} nodes",
                               size[0], size[1], size[2], lines, shape.text(), shape.size()));
}

Box Decomposition::block(const GridCoord& node) const {
  Box block;
  for (unsigned axis = 0; axis < 3; ++axis) {
    block.lo[axis] = split(axis).begin(node[axis]);
    block.hi[axis] = split(axis).end(node[axis]);
  }
  return block;
}

NodeLayout Decomposition::layout(Distribution distribution, const GridCoord& node) const {
  if (distribution == Distribution::blocks) return block_layout(node);
  return line_layout(static_cast<unsigned>(distribution), node);
}

NodeLayout Decomposition::block_layout(const GridCoord& node) const {
  NodeLayout layout;
  const Box block = this->block(node);
  layout.add(block);
  layout.set_order({0, 1, 2}, block, 0);
  return layout;
}

NodeLayout Decomposition::line_layout(unsigned axis, const GridCoord& node) const {
  const auto [u, v] = other_axes(axis);
  Box block = this->block(node);
  block.lo[axis] = 0;
  block.hi[axis] = size_[axis];
  const Split lines{block.length(u) * block.length(v), grid_.extent(axis)};
  const std::int64_t first = lines.begin(node[axis]);

  NodeLayout layout;
  layout.add_rows(block, u, v, first, lines.end(node[axis]));
  if (layout.count_ != 1) {
    layout.set_order({u, v, axis}, block, first * size_[axis]);
    return layout;
  }
  layout.set_order({0, 1, 2}, layout.boxes_[0], 0);
  if (axis == 0) layout.set_strides({apart(layout.stride_[0]), layout.stride_[1], 1});
  return layout;
}

GridCoord Decomposition::owner(Distribution distribution, const Index& at) const {
  GridCoord node{};
  for (unsigned axis = 0; axis < 3; ++axis)
    node[axis] = static_cast<Rank>(split(axis).owner(at[axis]));
  if (distribution == Distribution::blocks) return node;
  const auto axis = static_cast<unsigned>(distribution);
  const auto [u, v] = other_axes(axis);
  const Box block = this->block(node);
  const std::int64_t line = (at[u] - block.lo[u]) * block.length(v) + at[v] - block.lo[v];
  const Split lines{block.length(u) * block.length(v), grid_.extent(axis)};
  node[axis] = static_cast<Rank>(lines.owner(line));
  return node;
}

}  // namespace toroid
