// The same transform by one processor, to check a distributed one with.
#pragma once

#include "fft/plan/description.hpp"
#include "tools/files/array_io.hpp"

namespace toroid {

/// What a transform of `input` gives, of arrays whose whole size is description.size.
HostArray serial_transform(const fft::Description& description, fft::Way way, fft::Scale scale,
                           const HostArray& input);

/// Relative Euclidean error that a check forgives.
double tolerance_of(const fft::Description& description);

}  // namespace toroid
