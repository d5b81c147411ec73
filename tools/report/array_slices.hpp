// Chooses and reduces the planes of an array that a report shows.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/plan/transform_kind.hpp"
#include "tools/files/array_io.hpp"
#include "tools/report/slice.hpp"

namespace toroid {

/// The layout of a spectrum in its array.
struct SpectrumOrder {
  /// The transform along each axis. Frequencies of a dft and a dht wrap, and 0 is drawn in the
  /// middle; those of a dct and a wht begin with the lowest and are drawn as they lie.
  std::vector<fft::TransformKind> kinds;
  /// Points of the whole last axis, of which the spectrum of real data keeps the first half; the
  /// other half is drawn by its symmetry. 0: the array has all points.
  std::int64_t half_of = 0;
};

/// The plane in the middle of each axis of the first array of a batch: its numbers, or their
/// magnitudes where any is not real. A matrix gives one plane, a line one row; of more than three
/// axes, those before the last three are held in their middle. Blocks are reduced to their mean.
std::vector<Slice> density_slices(const HostArray& array);

/// The same for log10 of the magnitudes, through frequency 0. Values more than 16 decades below the
/// largest are drawn as 16 decades below. Blocks are reduced to their largest value, which keeps
/// peaks.
std::vector<Slice> spectrum_slices(const HostArray& array, const SpectrumOrder& order);

}  // namespace toroid
