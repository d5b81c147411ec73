// The array to transform, and the memory that a transform takes.
#pragma once

#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"
#include "tools/transform/options.hpp"

namespace toroid {

/// The array to transform and the size of the whole array. Throws BadInput.
struct FftInput {
  HostArray array;
  Size size;
};
FftInput fft_input(const FftOptions& options, const Shape& shape);
/// The given array with the size of the whole array.
FftInput sized_input(const FftOptions& options, const Shape& shape, HostArray array);
/// The bytes of the arrays that exist at the same time: the input, the result, those before and
/// after each stage, and the reference of --check; with the orbital method also its blocks and
/// coefficients.
double fft_bytes(const FftOptions& options, const Size& size, const Shape& shape);

}  // namespace toroid
