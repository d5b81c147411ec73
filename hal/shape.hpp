// The machine's geometry: a torus or mesh of 1 to 6 dimensions, extents 1 to 256.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hal/direction.hpp"

namespace toroid {

/// Nodes are numbered in C order: the last dimension runs fastest.
using Rank = std::uint32_t;

inline constexpr unsigned kMaxExtent = 256;

/// One coordinate per dimension; those past the shape's dimensions are 0.
struct Coord {
  std::array<std::uint8_t, kMaxDims> at{};
  constexpr std::uint8_t operator[](unsigned d) const { return at[d]; }
  constexpr std::uint8_t& operator[](unsigned d) { return at[d]; }
  constexpr bool operator==(const Coord&) const = default;
};

class Shape {
 public:
  /// "8x8x8"; an extent followed by m ("8x8x4m") is a mesh: no link closes its ring. `mesh` makes
  /// every dimension one. Throws BadInput with what was expected.
  static Shape parse(std::string_view text, bool mesh = false);

  unsigned dims() const { return dims_; }
  unsigned links() const { return 2 * dims_; }
  unsigned extent(unsigned d) const { return extent_[d]; }
  bool wraps(unsigned d) const { return wraps_[d]; }
  Rank size() const { return size_; }

  /// REQUIRES: rank < size().
  Coord coord(Rank rank) const;
  Rank rank(const Coord& coord) const;

  /// The node at the other end of a link; none where the mesh ends and where an extent is 1.
  std::optional<Rank> neighbour(Rank rank, Direction direction) const;

  /// The shape with every extent outside [first, last) set to 1: the group of nodes that exchange
  /// within a line, a plane, ... of the machine.
  Shape slice(unsigned first, unsigned last) const;

  std::string text() const;
  /// "(1,2,3)"
  std::string coord_text(Rank rank) const;
  bool operator==(const Shape&) const = default;

 private:
  /// rank / d = rank · ceil(2^40 / d) >> 40, exact for ranks below 2^24 and d up to 256.
  static constexpr unsigned kReciprocalBits = 40;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kReciprocalBits;

  void append(unsigned extent, bool wraps);

  unsigned dims_ = 0;
  Rank size_ = 1;
  std::array<std::uint16_t, kMaxDims> extent_{1, 1, 1, 1, 1, 1};
  std::array<std::uint64_t, kMaxDims> reciprocal_{kOne, kOne, kOne, kOne, kOne, kOne};
  std::array<bool, kMaxDims> wraps_{};
};

}  // namespace toroid
