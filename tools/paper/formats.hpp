// The table for programs: JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "tools/paper/row.hpp"
#include "tools/paper/section.hpp"
#include "tools/results/json.hpp"

namespace toroid {

/// What is not known is null.
Json rows_json(const std::vector<PaperRow>& rows);
Json curves_json(const std::vector<CurvePoint>& points);
/// section,what,unit,seed,ours,ratio,bound,bound_by,percent_of_bound,least,most,source,note; empty:
/// not known. The points of the curves follow, as rows of times.
std::string rows_csv(const std::vector<PaperRow>& rows);
std::string curves_csv(const std::vector<CurvePoint>& points);

/// The machine's numbers that its file says were fitted, by key.
Json fitted_numbers(const Machine& machine);

}  // namespace toroid
