// Which node holds which elements of the array, phase by phase.
//
// Source: Eleftheriou et al., "Scalable framework for 3D FFTs on the Blue Gene/L supercomputer",
// its equations for A'(i,j,k)[x,y,z] and A''(l,k)[p], with n_m and alpha relaxed to blocks and line
// counts that differ by at most one.
#pragma once

#include <span>
#include <vector>

#include "fft/box.hpp"
#include "fft/process_grid.hpp"

namespace toroid {

/// How the array is spread over the machine.
enum class Distribution : std::uint8_t {
  x_lines,  ///< a node holds whole lines along x of its (y, z) block, shared out along the x nodes
  y_lines,  ///< likewise along y
  z_lines,  ///< likewise along z
  blocks,   ///< a node holds the block that its place in the grid names: A'(i,j,k)[x,y,z]
};
constexpr Distribution lines_along(unsigned axis) {
  return static_cast<Distribution>(axis);
}

/// What one node holds: at most three boxes (the first, the full and the last row of a range of
/// lines), and where an element stands in the node's local array. A single box keeps the array's
/// own order, so that what is exchanged is contiguous at both ends, and lines along slower axes
/// stand side by side; the lines of several boxes stand one behind the other.
class NodeLayout {
 public:
  std::span<const Box> boxes() const& { return {boxes_.data(), count_}; }
  std::span<const Box> boxes() && = delete;  // they would not outlive the statement
  /// Elements.
  std::int64_t size() const { return size_; }
  /// Elements that the local array has room for; more than size() where there are gaps.
  std::int64_t extent() const { return extent_; }
  /// REQUIRES: one of the boxes contains it.
  std::int64_t offset(const Index& at) const {
    return base_ + at[0] * stride_[0] + at[1] * stride_[1] + at[2] * stride_[2];
  }
  std::int64_t stride(unsigned axis) const { return stride_[axis]; }
  /// Axes from slowest to fastest in local memory.
  const std::array<unsigned, 3>& axis_order() const { return order_; }

  /// The same elements with gaps between rows and planes, so that lines along x and y do not meet
  /// in a few sets of the cache. REQUIRES: at most one box.
  NodeLayout with_gaps() const;
  /// The same with all planes of equal x in the same place, one at a time.
  NodeLayout one_plane() const;

 private:
  friend class Decomposition;
  void add(const Box& box);
  void add_rows(const Box& block, unsigned u, unsigned v, std::int64_t first, std::int64_t last);
  void set_order(const std::array<unsigned, 3>& order, const Box& block, std::int64_t before);
  void set_strides(const Index& strides);

  std::array<Box, 3> boxes_;
  std::size_t count_ = 0;
  std::int64_t size_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t base_ = 0;
  Index stride_{};
  std::array<unsigned, 3> order_{0, 1, 2};
};

class Decomposition {
 public:
  /// Extents of the array, each at least 1. Throws BadInput where the machine has more nodes than
  /// any phase has lines.
  Decomposition(const Index& size, const Shape& shape);

  const Index& size() const { return size_; }
  const ProcessGrid& grid() const { return grid_; }
  std::int64_t volume() const { return size_[0] * size_[1] * size_[2]; }

  NodeLayout layout(Distribution distribution, const GridCoord& node) const;
  /// The node that holds an element.
  GridCoord owner(Distribution distribution, const Index& at) const;

 private:
  Split split(unsigned axis) const { return {size_[axis], grid_.extent(axis)}; }
  Box block(const GridCoord& node) const;
  NodeLayout block_layout(const GridCoord& node) const;
  NodeLayout line_layout(unsigned axis, const GridCoord& node) const;

  Index size_;
  ProcessGrid grid_;
};

}  // namespace toroid
