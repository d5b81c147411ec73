// Shortest paths, looked up dimension by dimension. They are computed once per distance instead of
// once per packet.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The parts of all routes over a shape that is not twisted. There is a part for each dimension,
/// each difference of coordinates in it, and each way to decide ties (+, - or later). The table
/// does not change after it is made, and copies of a Shape share it. It takes 48 bytes per
/// coordinate of each dimension.
class RouteTable {
 public:
  enum class Ties : std::uint8_t { go_plus, go_minus, stay_open };  ///< open: both hints are set

  /// REQUIRES: the shape is not twisted.
  explicit RouteTable(const Shape& shape);

  /// [coordinate of the destination]: the part of one dimension in the routes from coordinate
  /// `from`, as the bits of a Route. A route is the bitwise or of its parts.
  const std::uint64_t* row(unsigned dim, unsigned from, Ties ties) const {
    const unsigned k = extents_[dim];
    return &parts_[first_[dim] + static_cast<unsigned>(ties) * (2 * k - 1) + k - 1 - from];
  }

 private:
  std::array<unsigned, kMaxDims> extents_{};
  std::array<std::size_t, kMaxDims> first_{};  ///< [dimension]: index in parts_
  std::vector<std::uint64_t> parts_;           ///< [tie][difference of the coordinates + k - 1]
};

/// The routes from one node under a tie rule. They equal those of minimal_directions() and
/// route_along(). The shape must outlive this object.
class RoutesFrom {
 public:
  /// Empty if a lookup per dimension cannot give the routes: on a twisted torus or a part of a
  /// machine, around failures, or if ties depend on the destination or on chance.
  RoutesFrom(const Shape& shape, const Coord& from, TieRule rule);

  bool empty() const { return rows_[0] == nullptr; }
  /// REQUIRES: not empty.
  Route to(Rank destination) const {
    std::uint64_t bits = 0;
    shape_->for_each_coordinate(destination,
                                [&](unsigned d, unsigned at) { bits |= rows_[d][at]; });
    return std::bit_cast<Route>(bits);
  }

 private:
  const Shape* shape_;
  std::array<const std::uint64_t*, kMaxDims> rows_{};  ///< [dimension][coordinate]
};

}  // namespace toroid
