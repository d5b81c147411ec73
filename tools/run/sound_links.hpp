// Whether links have passed on what they were given: their CRCs at the end of a run.
#pragma once

#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The first links whose CRCs differ at their ends, "(0,0,0)X+".
std::vector<std::string> unsound_links(const FabricCounters& counters, const Shape& shape);

/// Throws RunFailed, with a link's name where it is known, if there are any: what crossed them was
/// damaged, and nobody noticed.
void check_links(const FabricCounters& counters, const Shape& shape);

}  // namespace toroid
