// A place relative to a node.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The number of steps in each dimension, which is smaller than the dimension's extent.
using Offset = std::array<int, kMaxDims>;

/// The node that is `offset` away from `at`, forward if `sign` is 1, back if it is -1; none if the
/// offset leaves a mesh.
inline std::optional<Rank> moved(const Shape& shape, Coord at, const Offset& offset, int sign) {
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const int k = static_cast<int>(shape.extent(d));
    const int to = at[d] + sign * offset[d];
    if ((to < 0 || to >= k) && !shape.wraps(d)) return std::nullopt;
    at[d] = static_cast<std::uint8_t>((to + k) % k);
  }
  return shape.rank(at);
}

/// The nodes to which moved() leads from `from` by one of the offsets: ascending, each once,
/// without `from`.
std::vector<Rank> all_moved(const Shape& shape, Rank from, const std::vector<Offset>& offsets,
                            int sign);

}  // namespace toroid
