// The torus as the three-dimensional grid of processes that a three-dimensional array is laid on.
#pragma once

#include <array>

#include "hal/shape.hpp"

namespace toroid {

/// A node's place in the grid.
using GridCoord = std::array<Rank, 3>;

/// The torus dimensions [first, last).
struct DimensionRange {
  unsigned first;
  unsigned last;
};

/// Axes x, y, z of the array over the torus dimensions in this order, one each for x and y, all
/// others for z; or, reversed, over z, y, x. A torus of fewer dimensions leaves some unsplit.
class ProcessGrid {
 public:
  ProcessGrid(const Shape& shape, bool reversed = false);

  const Shape& shape() const { return shape_; }
  Rank extent(unsigned axis) const { return extent_[axis]; }
  GridCoord coord(Rank rank) const;
  /// The dimensions that the axes first..last, of x, y, z, are spread over: those in which nodes
  /// differ that share everything else.
  DimensionRange dimensions(unsigned first, unsigned last) const;

 private:
  Shape shape_;
  bool reversed_;
  std::array<DimensionRange, 3> dims_;
  std::array<Rank, 3> extent_;
};

}  // namespace toroid
