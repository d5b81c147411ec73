#include "fft/process_grid.hpp"

#include <algorithm>

namespace toroid {

ProcessGrid::ProcessGrid(const Shape& shape)
    : shape_(shape),
      first_dim_{0, std::min(1u, shape.dims()), std::min(2u, shape.dims()), shape.dims()},
      extent_{1, 1, 1} {
  for (unsigned axis = 0; axis < 3; ++axis)
    for (unsigned d = first_dim_[axis]; d < first_dim_[axis + 1]; ++d)
      extent_[axis] *= shape.extent(d);
}

GridCoord ProcessGrid::coord(Rank rank) const {
  const Rank z = rank % extent_[2];
  const Rank y = rank / extent_[2] % extent_[1];
  return {rank / extent_[2] / extent_[1], y, z};
}

Rank ProcessGrid::rank(const GridCoord& at) const {
  return (at[0] * extent_[1] + at[1]) * extent_[2] + at[2];
}

Group ProcessGrid::group(unsigned first, unsigned last, Rank self) const {
  return {shape_, first_dim_[first], first_dim_[last + 1], self};
}

Shape ProcessGrid::slice(unsigned first, unsigned last) const {
  return shape_.slice(first_dim_[first], first_dim_[last + 1]);
}

}  // namespace toroid
