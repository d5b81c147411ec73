// All shortest ways over a twisted torus. Hops commute: any order of a way's hops leads to the same
// node. So a way is hops per dimension and their directions, ways depend on the offset between two
// nodes only, and the nodes share one table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {

class ShortestWays {
 public:
  /// By a breadth-first search from node 0. Throws BadInput where a way has more than 255 hops in
  /// one dimension. Memory: 6 bytes per node and 8 per way; nodes have one way to most offsets and
  /// few to the others.
  explicit ShortestWays(const Shape& shape);

  /// To the node that is as far from node 0 as `to` from `from`. Of ways with equal directions one
  /// is kept; directions tell the kept ones apart. Those by + come before those by -.
  std::span<const Route> between(const Shape& shape, const Coord& from, const Coord& to) const {
    return to_offset(shape.offset(from, to));
  }
  std::span<const Route> to_offset(Rank offset) const {
    return std::span(ways_).subspan(first_[offset], first_[offset + 1] - first_[offset]);
  }
  unsigned hops(Rank offset) const { return hops_[offset]; }
  unsigned diameter() const { return diameter_; }

 private:
  struct Step;
  std::vector<Step> lengthened(const Shape& shape, const std::vector<Step>& steps);
  void keep(const std::vector<std::vector<Step>>& levels);

  unsigned diameter_ = 0;
  std::vector<std::uint16_t> hops_;   ///< [offset]
  std::vector<std::uint32_t> first_;  ///< [offset], and one more: into ways_
  std::vector<Route> ways_;
};

}  // namespace toroid
