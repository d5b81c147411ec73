#include "packet/traffic/node_offset.hpp"

#include <algorithm>

namespace toroid {

std::vector<Rank> all_moved(const Shape& shape, Rank from, const std::vector<Offset>& offsets,
                            int sign) {
  std::vector<Rank> ranks;
  ranks.reserve(offsets.size());
  const Coord at = shape.coord(from);
  for (const Offset& offset : offsets)
    if (const auto to = moved(shape, at, offset, sign); to && *to != from) ranks.push_back(*to);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace toroid
