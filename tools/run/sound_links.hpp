// Checks at the end of a run, by CRCs, that links have passed on packets unchanged.
#pragma once

#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The first links whose CRCs at both ends differ, as "(0,0,0)X+"; at most 16.
std::vector<std::string> unsound_links(const FabricCounters& counters, const Shape& shape);

/// Throws RunFailed if there are such links, with a link's name if it is known: packets were
/// damaged undetected.
void check_links(const FabricCounters& counters, const Shape& shape);

}  // namespace toroid
