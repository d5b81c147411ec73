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
  bool reads_out = false;   ///< it works in place on what earlier slices have written
};

/// Number of line transforms of a work: along each transformed axis, there is one for every
/// combination of indices of the other axes.
std::int64_t lines_of(const local::Work& work);

/// Cuts a work into parts of at most `most_lines` lines. Run one after the other, the parts do the
/// same as the work. All lines of a plane come before the lines of the next plane. The result is
/// the work itself if it has at most `most_lines` lines or transforms nothing, or if `most_lines`
/// is 0. A single half_to_real transform of more than one axis is never cut, so a part may also
/// have more lines.
std::vector<WorkSlice> slices_of(const local::Work& work, std::int64_t most_lines);

}  // namespace toroid::fft
