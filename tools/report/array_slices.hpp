// Makes the slices that a report shows: chooses planes of an array and reduces them to few pixels.
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
  /// 0 if the array has all points. If it is the half spectrum of real data, the number of points
  /// of the whole last axis; the other half is then drawn by symmetry.
  std::int64_t half_of = 0;
};

/// For each axis, the plane through its middle, from the first array of a batch. The planes show
/// the array's numbers, or their magnitudes if any number is not real. A matrix gives one plane, a
/// line one row. With more than three axes, those before the last three are fixed at their middle.
/// A pixel that stands for a block of elements shows their mean.
std::vector<Slice> density_slices(const HostArray& array);

/// Planes through frequency 0, with log10 of the magnitudes. Values more than 16 decades below the
/// largest are drawn as 16 decades below. A pixel that stands for a block of elements shows the
/// largest of them, so that peaks are not lost.
std::vector<Slice> spectrum_slices(const HostArray& array, const SpectrumOrder& order);

}  // namespace toroid
