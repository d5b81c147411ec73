// Cuts a work into parts of few lines. A node handles packets between the parts.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft {

/// A part of a work; it is a work itself.
struct WorkSlice {
  local::Work work;
  std::int64_t in_at = 0;   ///< offset in bytes in the array that it reads
  std::int64_t out_at = 0;  ///< offset in bytes in the array that it writes
  bool reads_out = false;   ///< it continues in place on the output of earlier slices
};

/// Number of line transforms of a work: along each transformed axis, one per index of the other
/// axes.
std::int64_t lines_of(const local::Work& work);

/// Parts of at most `most_lines` lines that together do the same as the work, to be run one after
/// the other. Planes are kept together: all lines of a plane come before those of the next. The
/// result is the work itself if it has at most `most_lines` lines or transforms nothing, or if
/// `most_lines` is 0. half_to_real transforms of more than one axis are not cut within a transform.
std::vector<WorkSlice> slices_of(const local::Work& work, std::int64_t most_lines);

}  // namespace toroid::fft
