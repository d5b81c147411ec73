// The torus as the three-dimensional process grid over which the volumetric method distributes an
// array.
#pragma once

#include <array>

#include "hal/shape.hpp"

namespace toroid::fft {

/// A node's coordinates in the grid.
using GridCoord = std::array<Rank, 3>;

/// The torus dimensions [first, last).
struct DimensionRange {
  unsigned first;
  unsigned last;
};

/// Assigns torus dimensions to the axes of an array: the first to x, the second to y, all others to
/// z. Reversed: the first to z, the second to y, all others to x. On a torus of fewer than three
/// dimensions, some axes are not split.
class ProcessGrid {
 public:
  ProcessGrid(const Shape& shape, bool reversed = false);

  const Shape& shape() const { return shape_; }
  /// Number of nodes that share an axis.
  Rank extent(unsigned axis) const { return extent_[axis]; }
  GridCoord coord(Rank rank) const;
  /// The torus dimensions from those of axis `first` to those of axis `last`, both included.
  DimensionRange dimensions(unsigned first, unsigned last) const;

 private:
  Shape shape_;
  bool reversed_;
  std::array<DimensionRange, 3> dims_;
  std::array<Rank, 3> extent_;
};

}  // namespace toroid::fft
