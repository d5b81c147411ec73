// The array that is transformed, and the memory that this takes.
#pragma once

#include "hal/shape.hpp"
#include "tools/files/array_io.hpp"
#include "tools/transform/options.hpp"

namespace toroid {

/// What is to be transformed, and what the whole array's size is. Throws BadInput.
struct FftInput {
  HostArray array;
  Size size;
};
FftInput fft_input(const FftOptions& options, const Shape& shape);
/// Bytes of the arrays that exist at once: input, result, before and after each stage, reference;
/// the orbital method's blocks and coefficients.
double fft_bytes(const FftOptions& options, const Size& size, const Shape& shape);

}  // namespace toroid
