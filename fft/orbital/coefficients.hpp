// The matrices of separable transforms.
//
//   X[k] = sum over n of x[n]·C(n,k),  C(n,k) =
//
//   dft  exp(-2πi·nk/N)
//   dct  cos(π(2n+1)k / 2N)              DCT-II, without its weights
//   dht  cos(2πnk/N) - sin(2πnk/N)       the minus is the orbital report's; Hartley's has a plus
//   wht  ±1: minus where n AND k have an odd number of ones      natural (Hadamard) order
//
// The inverse's matrix D satisfies C·D = N·1 for every kind, so that inverse after forward gives N
// times the input. For dft it is the conjugate of C, for dht and wht it is C, and for dct it is
// that of DCT-III, D(k,n) = (2 - [k = 0])·cos(π(2n+1)k / 2N).
//
// Source of C: Sedukhin, "Co-design of Extremely Scalable Algorithms/Architecture for 3-Dimensional
// Linear Transforms", University of Aizu 2012-001, section 2.
#pragma once

#include <complex>
#include <cstdint>

#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {

constexpr bool has_complex_coefficients(TransformKind kind) {
  return kind == TransformKind::dft;
}

/// The factor by which element `in` of the input contributes to element `out` of the result, where
/// N = size. Arguments of sines and cosines are reduced exactly, so that the result is correct to
/// the last bit or two of a long double. REQUIRES: 0 <= in, out < size; for wht, size is a power of
/// two.
std::complex<long double> coefficient(TransformKind kind, Sign sign, std::int64_t size,
                                      std::int64_t in, std::int64_t out);

}  // namespace toroid::fft
