// KissFFT as contained in Eigen.
#pragma once

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// Transforms any number n of points, in O(n·p) for the largest prime factor p of n. Gives equal
/// bits on every run.
const Library& kissfft();

}  // namespace toroid::fft::local
