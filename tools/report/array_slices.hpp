// Which planes of an array a report shows, and how.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/plan/transform_kind.hpp"
#include "tools/io/array_io.hpp"
#include "tools/report/slice.hpp"

namespace toroid {

/// How a spectrum lies in its array.
struct SpectrumOrder {
  /// By axis. Frequencies of a dft and a dht wrap: zero is drawn in the middle. Those of a dct and
  /// a wht begin with the lowest: drawn as they lie.
  std::vector<fft::TransformKind> kinds;
  /// Points of the whole last axis, of which real data keeps the first half; the other is drawn by
  /// its symmetry. 0: the array has all.
  std::int64_t half_of = 0;
};

/// Of the first array of a batch, the plane in the middle of each axis: the numbers themselves, or
/// their magnitudes where one of the array is not real. Of a matrix all of it, of a line one row.
/// With more than three axes those before the last three are held in their middle. Blocks are
/// reduced by their mean.
std::vector<Slice> density_slices(const HostArray& array);

/// Likewise of log10 of the magnitudes, through frequency 0. What is 16 decades and more below the
/// largest is drawn as if it were 16. Blocks are reduced by their largest, which keeps peaks.
std::vector<Slice> spectrum_slices(const HostArray& array, const SpectrumOrder& order);

}  // namespace toroid
