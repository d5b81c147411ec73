// Estimated work of a transform.
#pragma once

#include "fft/plan/blueprint.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// The estimated work of one call of the transform, if all messages within a group are equal.
RunWork transform_work(const fft::Blueprint& blueprint);

}  // namespace toroid
