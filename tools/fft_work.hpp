// What a transform will take.
#pragma once

#include "fft/blueprint.hpp"
#include "tools/expectation.hpp"

namespace toroid {

/// One call, about: exchanges of equal messages between all members of their groups, and lines.
RunWork transform_work(const Blueprint& blueprint);

}  // namespace toroid
