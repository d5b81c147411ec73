#include "fft/plan/process_grid.hpp"

#include <algorithm>

namespace toroid::fft {

ProcessGrid::ProcessGrid(const Shape& shape, bool reversed)
    : shape_(shape), reversed_(reversed), extent_{1, 1, 1} {
  const unsigned one = std::min(1u, shape.dims());
  const unsigned two = std::min(2u, shape.dims());
  dims_ = {{{0, one}, {one, two}, {two, shape.dims()}}};
  if (reversed) std::swap(dims_[0], dims_[2]);
  for (unsigned axis = 0; axis < 3; ++axis)
    for (unsigned d = dims_[axis].first; d < dims_[axis].last; ++d)
      extent_[axis] *= shape.extent(d);
}

GridCoord ProcessGrid::coord(Rank rank) const {
  GridCoord at{};
  for (unsigned i = 0; i < 3; ++i) {  // the axis along which ranks vary fastest comes first
    const unsigned axis = reversed_ ? i : 2 - i;
    at[axis] = rank % extent_[axis];
    rank /= extent_[axis];
  }
  return at;
}

DimensionRange ProcessGrid::dimensions(unsigned first, unsigned last) const {
  return {std::min(dims_[first].first, dims_[last].first),
          std::max(dims_[first].last, dims_[last].last)};
}

}  // namespace toroid::fft
