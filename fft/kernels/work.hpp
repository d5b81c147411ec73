// Properties of a Work that do not depend on the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

enum class Side : std::uint8_t { in, out };

/// Aborts if a REQUIRES of a member of Work does not hold.
void check(const Work& work);

bool is_real(Kind kind);
/// Whether the array is empty.
bool holds_nothing(const Work& work);
/// Whether any axis is transformed.
bool transforms(const Work& work);

std::size_t element_bytes(const Work& work, Side side);
/// Bytes from the begin of the first element to the end of the last one.
std::size_t reach_bytes(const Work& work, Side side);

/// The same work with the fewest axes: first those that are transformed, in their order, then the
/// others by falling stride. Axes of length 1 are left out, except a halved one. Axes of which one
/// continues the other are joined. REQUIRES: the array is not empty.
Work simplified(const Work& work);

/// Work that is done tile by tile.
struct Tiling {
  Work tile;
  std::int64_t tiles = 1;
  std::size_t step = 0;  ///< bytes from one tile to the next, on both sides
};

/// The tiles in which simplified work is measured and run; work.cpp says why.
Tiling tiling(const Work& work);

}  // namespace toroid::fft::local
