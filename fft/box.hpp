// Boxes of a three-dimensional index space, and how an extent is split into blocks.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

namespace toroid {

using Complex = std::complex<double>;

/// Global index (i, j, k) of an element; arrays are in C order, k fastest.
using Index = std::array<std::int64_t, 3>;

/// Half open: lo <= index < hi per axis. Empty where any hi <= lo.
struct Box {
  Index lo{};
  Index hi{};

  std::int64_t length(unsigned axis) const {
    return std::max<std::int64_t>(0, hi[axis] - lo[axis]);
  }
  std::int64_t volume() const { return length(0) * length(1) * length(2); }
  bool contains(const Index& at) const {
    for (unsigned a = 0; a < 3; ++a)
      if (at[a] < lo[a] || at[a] >= hi[a]) return false;
    return true;
  }
  bool operator==(const Box&) const = default;
};

inline Box intersect(const Box& a, const Box& b) {
  Box both;
  for (unsigned axis = 0; axis < 3; ++axis) {
    both.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    both.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
  }
  return both;
}

/// n things in `parts` consecutive blocks whose lengths differ by at most one. The volumetric
/// paper's n/P where P divides n; its alpha, beta and gamma conditions are not needed.
struct Split {
  std::int64_t n;
  std::int64_t parts;

  std::int64_t begin(std::int64_t part) const { return part * n / parts; }
  std::int64_t end(std::int64_t part) const { return begin(part + 1); }
  std::int64_t length(std::int64_t part) const { return end(part) - begin(part); }
  /// The block that holds thing x.
  std::int64_t owner(std::int64_t x) const { return ((x + 1) * parts - 1) / n; }
};

}  // namespace toroid
