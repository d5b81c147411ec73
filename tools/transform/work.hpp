// Estimated work of a transform.
#pragma once

#include "fft/plan/blueprint.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// Estimated work of one call, assuming equal messages within each group.
RunWork transform_work(const fft::Blueprint& blueprint);

}  // namespace toroid
