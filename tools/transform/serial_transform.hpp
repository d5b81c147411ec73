// A serial transform, to check distributed transforms against.
#pragma once

#include "fft/plan/description.hpp"
#include "tools/files/host_array.hpp"

namespace toroid {

/// Returns the transform of `input`, which is an array of size description.size or, backward, its
/// spectrum.
HostArray serial_transform(const fft::Description& description, fft::Way way, fft::Scale scale,
                           const HostArray& input);

/// The largest relative Euclidean error that --check accepts.
double tolerance_of(const fft::Description& description);

}  // namespace toroid
