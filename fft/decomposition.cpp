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

Index NodeLayout::index(std::int64_t offset) const {
  std::int64_t left = offset - base_;
  for (unsigned a = 0; a < 3; ++a) left -= origin_[a] * stride_[a];
  Index at = origin_;
  for (const unsigned axis : order_) {
    at[axis] += left / stride_[axis];
    left %= stride_[axis];
  }
  return at;
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
  layout.origin_ = block.lo;
  layout.stride_ = {std::max<std::int64_t>(1, block.length(1) * block.length(2)),
                    std::max<std::int64_t>(1, block.length(2)), 1};
  layout.base_ = -(block.lo[0] * layout.stride_[0] + block.lo[1] * layout.stride_[1] + block.lo[2]);
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
  layout.origin_ = block.lo;
  layout.stride_[axis] = 1;
  layout.stride_[v] = size_[axis];
  layout.stride_[u] = std::max<std::int64_t>(1, block.length(v)) * size_[axis];
  layout.base_ =
      -first * size_[axis] - block.lo[u] * layout.stride_[u] - block.lo[v] * layout.stride_[v];
  layout.order_ = {u, v, axis};
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
