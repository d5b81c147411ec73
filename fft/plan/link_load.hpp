// The load that minimal routing must put on the links, whichever path it takes. Lower bounds for
// exchanges with messages of different lengths are based on it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// Load that minimal routing cannot avoid. The rings of a torus dimension carry bytes x hops, in
/// either direction. In a mesh dimension, a message loads every cut between its source and its
/// destination.
class LinkLoad {
 public:
  explicit LinkLoad(const Shape& shape);

  /// Adds a message.
  void add(const Coord& from, const Coord& to, std::uint64_t wire_bytes);
  void add(const LinkLoad& other);
  /// A lower bound on the bytes that the hottest link carries if `nodes` nodes have sent the load:
  /// the maximum over the dimensions. A torus dimension spreads its load evenly over two links per
  /// node; a mesh dimension spreads the load of each cut evenly over the links that cross the cut.
  double hottest_bytes(Rank nodes) const;

 private:
  Shape shape_;
  std::array<std::uint64_t, kMaxDims> byte_hops_{};  ///< of the torus dimensions
  /// [dimension][cut][0: upwards, 1: downwards]; cut c lies between coordinates c and c + 1.
  std::array<std::vector<std::array<std::uint64_t, 2>>, kMaxDims> cuts_;
};

}  // namespace toroid::fft
