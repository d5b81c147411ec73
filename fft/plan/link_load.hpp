// What minimal routing must carry over the links, whatever it chooses: the base of lower bounds for
// exchanges whose messages differ in length.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// Bytes that cross each place of the machine where minimal routing leaves no choice: every ring
/// of a torus dimension carries (bytes x hops) whatever its direction, every cut of a mesh
/// dimension is crossed by what lies on different sides.
class LinkLoad {
 public:
  explicit LinkLoad(const Shape& shape);

  void add(const Coord& from, const Coord& to, std::uint64_t wire_bytes);
  void add(const LinkLoad& other);
  /// The hottest link carries at least so many bytes: loads spread evenly over `nodes` of the
  /// machine's nodes, those among which the traffic was.
  double hottest_bytes(Rank nodes) const;

 private:
  Shape shape_;
  std::array<std::uint64_t, kMaxDims> byte_hops_{};
  /// [dimension][cut][0: upwards, 1: downwards]; cut c lies between coordinates c and c + 1.
  std::array<std::vector<std::array<std::uint64_t, 2>>, kMaxDims> cuts_;
};

}  // namespace toroid
