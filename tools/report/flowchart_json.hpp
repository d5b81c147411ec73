// Counts of the flowcharts in the patent's FIG. 9 and 10 as JSON.
#pragma once

#include "hal/flowchart_profile.hpp"
#include "hal/shape.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// {"fill": {...}, "drain": {..., "stuck_on": {"X+": heads, ...}}} with the names of FillProfile
/// and DrainProfile; stuck_on has the directions of the shape. The counts cover the whole run,
/// including all repetitions, barriers and answers.
Json profile_json(const FlowchartProfile& profile, const Shape& shape);

}  // namespace toroid
