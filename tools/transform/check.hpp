// A serial transform, to check distributed transforms against.
#pragma once

#include "fft/plan/description.hpp"
#include "tools/files/host_array.hpp"

namespace toroid {

/// Returns the transform of `input`. The whole array has the size description.size.
HostArray serial_transform(const fft::Description& description, fft::Way way, fft::Scale scale,
                           const HostArray& input);

/// Largest relative Euclidean error that a check accepts.
double tolerance_of(const fft::Description& description);

}  // namespace toroid
