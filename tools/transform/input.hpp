// The array to transform, and the memory that a transform takes.
#pragma once

#include <string>
#include <string_view>

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
/// The host program's array with the size of the whole array. Throws BadInput if single precision
/// does not hold it.
FftInput host_input(const FftOptions& options, const Shape& shape, const HostArray& array);
/// The name of the host program's array in messages that number its elements.
std::string host_array_name(const HostArray& array);
/// Hashes the host program's array for the comparison with the other processes of the run.
void note_host_array(const std::string& name, const HostArray& array);
/// Throws BadInput for the first element that is not real. `name` is the array's name, and `why`
/// continues the message.
void check_real(const std::string& name, const HostArray& array, std::string_view why = "");
/// Throws BadInput if a finite number is too large for single precision, or if all are too small.
/// Warns if some are too small.
void check_fits_single(const std::string& name, const HostArray& array);
/// The bytes of the arrays that exist at the same time: the input, the result, those before and
/// after each stage, and the reference of --check; with the orbital method also its blocks and
/// coefficients.
double fft_bytes(const FftOptions& options, const Size& size, const Shape& shape);

}  // namespace toroid
