// The load that minimal routing must put on the links, whatever way it chooses: the basis of lower
// bounds for exchanges whose messages differ in length.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// Bytes for which minimal routing has no choice: the rings of a torus dimension carry bytes x hops
/// in one direction or the other, and messages between different sides of a cut of a mesh dimension
/// cross it.
class LinkLoad {
 public:
  explicit LinkLoad(const Shape& shape);

  /// Adds a message.
  void add(const Coord& from, const Coord& to, std::uint64_t wire_bytes);
  void add(const LinkLoad& other);
  /// A lower bound of the bytes that the hottest link carries: the load, shared out evenly over the
  /// links of the `nodes` nodes that sent it.
  double hottest_bytes(Rank nodes) const;

 private:
  Shape shape_;
  std::array<std::uint64_t, kMaxDims> byte_hops_{};  ///< of torus dimensions
  /// [dimension][cut][0: upwards, 1: downwards]; cut c lies between coordinates c and c + 1.
  std::array<std::vector<std::array<std::uint64_t, 2>>, kMaxDims> cuts_;
};

}  // namespace toroid::fft
