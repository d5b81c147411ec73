// The pictures of a transform's run: of what it took and of what it gave.
#pragma once

#include "tools/array_io.hpp"
#include "tools/fft_run.hpp"
#include "tools/json.hpp"

namespace toroid {

/// Slices of the array and of its spectrum's logarithm, whichever of them the transform took.
Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result);

}  // namespace toroid
