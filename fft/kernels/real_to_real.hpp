// Transforms of real lines to real lines: dct, dst, dht by a complex transform, and wht by sums and
// differences.
#pragma once

#include <memory>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// A kernel for a work of a real-to-real kind. It uses the complex transforms of `library`. A line
/// of n points takes a complex transform of n/2 points if n is even, otherwise a real one of n
/// points. This is faster than FFTW's r2r transforms, whose inner loops use no vector instructions:
/// for 64 x 64 lines of 64 points, FFTW takes 0.60 ms for a dct, and 0.19 ms for the dft of as many
/// complex lines. REQUIRES: the work is simplified and not empty, and transforms one axis; for wht,
/// the axis has a power of two.
std::shared_ptr<const Kernel> real_to_real(const Work& work, Rigor rigor, const Library& library);

}  // namespace toroid::fft::local
