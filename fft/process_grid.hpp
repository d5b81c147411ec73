// The torus as the three-dimensional grid of processes that a three-dimensional array is laid on.
#pragma once

#include <array>

#include "hal/shape.hpp"
#include "packet/group.hpp"

namespace toroid {

/// A node's place in the grid.
using GridCoord = std::array<Rank, 3>;

/// Axis a of the array is spread over the torus dimensions [first[a], first[a+1]): one each for x
/// and y, all others for z. A torus of fewer dimensions leaves z, or y and z, unsplit.
class ProcessGrid {
 public:
  explicit ProcessGrid(const Shape& shape);

  const Shape& shape() const { return shape_; }
  Rank extent(unsigned axis) const { return extent_[axis]; }
  GridCoord coord(Rank rank) const;
  Rank rank(const GridCoord& at) const;
  /// The nodes that differ from `self` only along the axes [first, last], in the order of ranks.
  Group group(unsigned first, unsigned last, Rank self) const;
  /// The torus dimensions of the axes [first, last] with all others cut to one node.
  Shape slice(unsigned first, unsigned last) const;

 private:
  Shape shape_;
  std::array<unsigned, 4> first_dim_;
  std::array<Rank, 3> extent_;
};

}  // namespace toroid
