// The load that minimal routing puts on the links, whichever of the shortest paths packets take.
// Lower bounds for exchanges with messages of different lengths are based on it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// Load that minimal routing cannot avoid. In a torus dimension, a message adds its bytes x hops to
/// the total load of the dimension's links, in either direction. In a mesh dimension, it adds its
/// bytes to every cut between its source and its destination.
class LinkLoad {
 public:
  explicit LinkLoad(const Shape& shape);

  /// Adds a message.
  void add(const Coord& from, const Coord& to, std::uint64_t wire_bytes);
  void add(const LinkLoad& other);
  /// A lower bound on the bytes that the hottest link carries if `nodes` nodes have sent the load:
  /// the maximum over the dimensions. At best, a torus dimension spreads its load evenly over two
  /// links per node, and a mesh dimension spreads the load of each cut evenly over the links that
  /// cross the cut.
  double hottest_bytes(Rank nodes) const;

 private:
  Shape shape_;
  std::array<std::uint64_t, kMaxDims> byte_hops_{};  ///< bytes x hops in each torus dimension
  /// Bytes over each cut of the mesh dimensions: cuts_[dimension][cut][0] upwards, [1] downwards.
  /// Cut c lies between coordinates c and c + 1.
  std::array<std::vector<std::array<std::uint64_t, 2>>, kMaxDims> cuts_;
};

}  // namespace toroid::fft
