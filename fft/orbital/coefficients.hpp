// The matrices of separable transforms.
//
//   X[k] = sum over n of x[n]·C(n,k),  C(n,k) =
//
//   dft  exp(-2πi·nk/N)
//   dct  cos(π(2n+1)k / 2N)              DCT-II, without its weights
//   dht  cos(2πnk/N) - sin(2πnk/N)       minus as in the orbital report; Hartley has a plus
//   dst  sin(π(2n+1)(k+1) / 2N)          DST-II, without its weights
//   wht  ±1: minus where n AND k have an odd number of ones      natural (Hadamard) order
//   fft  as for dft: the same transform, computed by factors (factors.hpp)
//   matrix  M(k,n), user-defined: X = M·x
//
// The inverse's matrix D satisfies C·D = N·1 for every kind, so inverse after forward gives N times
// the input. Division by N therefore undoes any mixture of kinds. D is
//
//   dft       the conjugate of C
//   dht, wht  C
//   dct       D(k,n) = (2 - [k = 0])·cos(π(2n+1)k / 2N), from DCT-III
//   dst       D(k,n) = (2 - [k = N-1])·sin(π(2n+1)(k+1) / 2N), from DST-III
//   matrix    N times the inverse matrix
//
// With weights, the coefficients C of dct with k = 0 and those of dst with k = N-1 are divided by
// sqrt(2), and those of D are multiplied by it: sqrt(2/N)·C is then orthonormal, as is D/sqrt(2N).
//
// Source of C: Sedukhin, "Co-design of Extremely Scalable Algorithms/Architecture for 3-Dimensional
// Linear Transforms", University of Aizu 2012-001, section 2.
#pragma once

#include <complex>
#include <cstdint>

#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {

bool has_complex_coefficients(const AxisTransform& transform);

/// The factor by which element `in` of the input contributes to element `out` of the result, where
/// N = size. Arguments of sines and cosines are reduced exactly, so the result is correct to the
/// last bit or two of a long double. REQUIRES: 0 <= in, out < size; for wht, size is a power of
/// two; for a matrix, size is the matrix's. Throws BadInput for the inverse of a singular matrix.
std::complex<long double> coefficient(const AxisTransform& transform, Sign sign, std::int64_t size,
                                      std::int64_t in, std::int64_t out);

}  // namespace toroid::fft
