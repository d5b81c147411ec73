// Checks at the end of a run that links have passed on packets unchanged, by comparing the CRCs at
// both ends of each link.
#pragma once

#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// The first links whose CRCs at both ends differ, as "(0,0,0)X+"; at most 16.
std::vector<std::string> unsound_links(const FabricCounters& counters, const Shape& shape);

/// Throws RunFailed if the CRCs at the ends of a link differ, i.e. packets were damaged undetected.
/// The message names such a link if one is known.
void check_links(const FabricCounters& counters, const Shape& shape);

}  // namespace toroid
