// All shortest paths over a twisted torus. Hops commute: every order of a path's hops leads to the
// same node. So a path is a number of hops and a direction per dimension, paths depend only on the
// offset between two nodes, and all nodes share one table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The table of these paths. It does not change after it is made, and copies of a Shape share it.
class ShortestWays {
 public:
  /// Finds the paths by a breadth-first search from node 0. Throws BadInput if a path has more than
  /// 255 hops in one dimension. Memory: 6 bytes per node and 8 per path; most offsets have one
  /// path, the others a few.
  explicit ShortestWays(const Shape& shape);

  /// The shortest paths between two nodes. Of several paths with equal directions only one is kept,
  /// so directions tell paths apart. Paths by + come before paths by -.
  std::span<const Route> between(const Shape& shape, const Coord& from, const Coord& to) const {
    return to_offset(shape.offset(from, to));
  }
  /// The same for an offset, as Shape::offset() numbers them.
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
  std::vector<std::uint32_t> first_;  ///< [offset], and one element more: index of its first path
                                      ///< in ways_
  std::vector<Route> ways_;
};

}  // namespace toroid
