// The counts of FIG. 9 and 10 as JSON.
#pragma once

#include "hal/flowchart_profile.hpp"
#include "hal/shape.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// {"fill": {...}, "drain": {..., "stuck_on": {"X+": heads, ...}}} with the names of FillProfile
/// and DrainProfile; stuck_on has the directions of the shape.
/// Counts are of the whole run: all repetitions, barriers and answers included.
Json profile_json(const FlowchartProfile& profile, const Shape& shape);

}  // namespace toroid
