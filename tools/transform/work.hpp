// What a transform will take.
#pragma once

#include "fft/plan/blueprint.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

/// One call, about: exchanges of equal messages between all members of their groups, and lines.
RunWork transform_work(const fft::Blueprint& blueprint);

}  // namespace toroid
