// What follows from a Work, whichever library does it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fft/kernels/kernel.hpp"

namespace toroid::local {

enum class Side : std::uint8_t { in, out };

/// Aborts where the work is none: see the REQUIRES of its members.
void check(const Work& work);

bool is_real(Kind kind);
bool holds_nothing(const Work& work);
bool transforms(const Work& work);

std::size_t element_bytes(const Work& work, Side side);
/// From the first element's begin to the last one's end.
std::size_t reach_bytes(const Work& work, Side side);

/// The same work in the fewest axes: first those that are transformed, in their order, then the
/// others, the farthest strides first. Axes of length 1 are left out, except a halved one; those
/// that run on where another ends are joined. REQUIRES: it holds something.
Work simplified(const Work& work);

/// Work that is done part by part.
struct Tiling {
  Work tile;
  std::int64_t tiles = 1;
  std::size_t step = 0;  ///< bytes from one to the next, on both sides
};

/// The parts in which simplified work is measured: see the source.
Tiling tiling(const Work& work);

}  // namespace toroid::local
