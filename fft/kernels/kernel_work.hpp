// Properties of a Work that do not depend on the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

enum class Side : std::uint8_t { in, out };

/// Aborts if a work violates a condition (REQUIRES) that its members state.
void check(const Work& work);

/// Whether one side is real and the other one half a spectrum.
bool is_halved(Kind kind);
/// Whether both sides are real.
bool is_real_to_real(Kind kind);
/// Whether the array is empty.
bool holds_nothing(const Work& work);
/// Whether any axis is transformed.
bool transforms(const Work& work);

std::size_t element_bytes(const Work& work, Side side);
/// Bytes from the beginning of the first element to the end of the last one.
std::size_t reach_bytes(const Work& work, Side side);

/// The same work with the fewest axes: first the transformed axes, in their order, then the others
/// by decreasing stride. Axes of length 1 are dropped, except a halved one. Two axes are joined if
/// one continues where the other ends. REQUIRES: the array is not empty.
Work simplified(const Work& work);

/// The first of two passes: it transforms only the last transformed axis, from array to array. For
/// real data this is the halved axis.
Work first_pass(const Work& work);
/// The second pass: it transforms the other axes, in place in the array that the first pass has
/// written. REQUIRES: the kind is not half_to_real.
Work other_passes(const Work& work);
/// For half_to_real, the pass before first_pass(): it transforms all axes except the halved one, in
/// place in the source.
Work passes_before_real(const Work& work);
/// Whether a simplified work runs faster as first_pass() and other_passes(); see kernel_work.cpp.
bool goes_in_passes(const Work& work);

/// Bytes from one tile to the next, in the input and in the output.
struct TileStep {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

/// The rows of a tile's source, which are prefetched before the tile is transformed.
struct TileRows {
  std::int64_t count = 0;
  std::size_t bytes = 0;  ///< number of contiguous bytes in a row
  std::int64_t step = 0;  ///< bytes from one row to the next
};

/// Work that runs tile by tile.
struct Tiling {
  Work tile;
  std::int64_t tiles = 1;
  TileStep step{};
  TileRows rows{};
};

/// The tiles in which a simplified work is measured and run; see kernel_work.cpp for the reason.
Tiling tiling(const Work& work);

}  // namespace toroid::fft::local
