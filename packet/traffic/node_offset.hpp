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
/// offset leaves a mesh. On a twisted torus a round along a dimension shifts by its twists, as
/// Shape::neighbour() does, so a step leads over a link there too.
inline std::optional<Rank> moved(const Shape& shape, const Coord& at, const Offset& offset,
                                 int sign) {
  Offset to{};
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const int k = static_cast<int>(shape.extent(d));
    const int along = at[d] + sign * offset[d];
    const int rounds = along < 0 ? -1 : along >= k ? 1 : 0;
    if (rounds != 0 && !shape.wraps(d)) return std::nullopt;
    to[d] += along - rounds * k;
    for (unsigned e = 0; rounds != 0 && e < shape.dims(); ++e)
      to[e] += rounds * static_cast<int>(shape.twist(d, e));
  }
  Coord there;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const int k = static_cast<int>(shape.extent(d));
    there[d] = static_cast<std::uint8_t>((to[d] % k + k) % k);
  }
  return shape.rank(there);
}

/// The nodes to which moved() leads from `from` by one of the offsets: ascending, each once,
/// without `from`.
std::vector<Rank> all_moved(const Shape& shape, Rank from, const std::vector<Offset>& offsets,
                            int sign);

}  // namespace toroid
