// KissFFT in the form that Eigen contains.
#pragma once

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// Transforms any number of points: in O(n·p) with the largest prime factor p of n. Equal bits on
/// every run.
const Library& kissfft();

}  // namespace toroid::fft::local
