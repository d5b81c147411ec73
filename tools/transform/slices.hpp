// The pictures of a transform's run: of what it took and of what it gave.
#pragma once

#include "tools/files/array_io.hpp"
#include "tools/text/json.hpp"
#include "tools/transform/run.hpp"

namespace toroid {

/// Slices of the array and of its spectrum's logarithm, whichever of them the transform took.
Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result);

}  // namespace toroid
