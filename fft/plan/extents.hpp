// Extents of a plan's input and output arrays, and names of axes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "fft/layout/box.hpp"
#include "fft/plan/description.hpp"

namespace toroid::fft {

/// The axis along which the spectrum of real data is halved.
inline unsigned half_axis(const Description& description) {
  return static_cast<unsigned>(description.size.size()) - 1;
}

/// Whether forward returns half a spectrum. All other transforms of real data are real.
inline bool keeps_half(const Description& description) {
  return description.real && description.method != Method::orbital &&
         description.kinds[0].is_fourier();
}

/// Whether both sides of the transform are real.
inline bool stays_real(const Description& description) {
  return description.real && !keeps_half(description);
}

/// Extents of forward's input.
inline Index in_extents(const Description& description) {
  return extents_of(description.size, description.batch);
}

/// How many of n points a box cut keeps, at most n; 0 if the cut is too large. If n / box_cut is
/// below a whole number only by rounding, e.g. 33 / 1.1, it counts as that number.
inline std::int64_t kept_of(std::int64_t n, double box_cut) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  if (!(box_cut > 1)) return n;
  const double kept = static_cast<double>(n) / box_cut * (1 + kRounding);
  return std::min(n, static_cast<std::int64_t>(kept));
}

/// Extents of forward's output, after a box cut and with the last axis of real data halved.
inline Index out_extents(const Description& description) {
  Index extents = in_extents(description);
  const std::size_t axes = std::min<std::size_t>(description.size.size(), kMaxAxes);
  for (std::size_t axis = 0; axis < axes; ++axis)
    extents[axis] = kept_of(extents[axis], description.box_cut);
  if (keeps_half(description) && axes > 0) extents[axes - 1] = extents[axes - 1] / 2 + 1;
  return extents;
}

/// `extents`, with the extents of `axes` replaced by those in `from`.
inline Index with_axes(Index extents, const Axes& axes, const Index& from) {
  for (unsigned axis = 0; axis < kAxes; ++axis)
    if (axes[axis]) extents[axis] = from[axis];
  return extents;
}

/// A stage's name from the axes that it transforms: letters of "xyz" if the array has at most three
/// axes, otherwise the axes' numbers.
inline std::string name_of(const Axes& axes, std::size_t dims) {
  constexpr std::string_view kNames = "xyzuvw";
  std::string name;
  for (unsigned axis = 0; axis < kMaxAxes; ++axis)
    if (axes[axis]) name += dims <= 3 ? std::string(1, kNames[axis]) : std::to_string(axis);
  return name;
}

}  // namespace toroid::fft
