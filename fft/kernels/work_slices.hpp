// Cutting a work into parts of few lines, between which a node looks at the network.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft {

/// A part of a work, itself a work.
struct WorkSlice {
  local::Work work;
  std::int64_t in_at = 0;   ///< bytes from the beginning of the array that it reads
  std::int64_t out_at = 0;  ///< bytes from the beginning of the array that it writes
  bool reads_out = false;   ///< it goes on in place with what slices before it have written
};

/// Line transforms of a work: along each transformed axis one for every index of the others.
std::int64_t lines_of(const local::Work& work);

/// Parts of at most `most_lines` lines, to be run one after the other; they do together what the
/// work does. Planes are kept together: all lines of one before those of the next. One part, the
/// work itself, if it has no more lines, transforms nothing, or `most_lines` is 0; half_to_real
/// transforms of more than one axis are not cut within a transform.
std::vector<WorkSlice> slices_of(const local::Work& work, std::int64_t most_lines);

}  // namespace toroid::fft
