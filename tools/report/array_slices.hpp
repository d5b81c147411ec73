// Chooses and reduces the planes of an array that a report shows.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/plan/transform_kind.hpp"
#include "tools/files/host_array.hpp"
#include "tools/report/slice.hpp"

namespace toroid {

/// The layout of a spectrum in its array.
struct SpectrumOrder {
  /// The transform along each axis. Frequencies of a dft and a dht wrap, and 0 is drawn in the
  /// middle. Those of a dct and a wht begin with the lowest and are drawn in stored order.
  std::vector<fft::TransformKind> kinds;
  /// Points of the whole last axis if the array is the half spectrum of real data; the other half
  /// is drawn by symmetry. 0: the array has all points.
  std::int64_t half_of = 0;
};

/// The planes through the middle of each axis of the first array of a batch. They show its numbers,
/// or their magnitudes if any is not real. A matrix gives one plane, a line one row. With more than
/// three axes, those before the last three are fixed at their middle. Blocks are reduced to their
/// mean.
std::vector<Slice> density_slices(const HostArray& array);

/// Planes through frequency 0, with log10 of the magnitudes. Values more than 16 decades below the
/// largest are drawn as 16 decades below. Blocks are reduced to their largest value, which keeps
/// peaks.
std::vector<Slice> spectrum_slices(const HostArray& array, const SpectrumOrder& order);

}  // namespace toroid
