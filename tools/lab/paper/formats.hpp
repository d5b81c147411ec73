// The table of `toroid paper` as JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "tools/lab/paper/curves.hpp"
#include "tools/lab/paper/row.hpp"
#include "tools/text/json.hpp"

namespace toroid {

// A value that is not known is null.
Json rows_json(const std::vector<PaperRow>& rows);
Json curves_json(const std::vector<CurvePoint>& points);
// Columns:
// section,what,unit,seed,ours,ratio,bound,bound_by,percent_of_bound,least,most,source,note. A value
// that is not known is empty. Points of curves are rows of times.
std::string rows_csv(const std::vector<PaperRow>& rows);
std::string curves_csv(const std::vector<CurvePoint>& points);

/// The numbers that were fitted according to the machine's file, by key.
Json fitted_numbers(const Machine& machine);

}  // namespace toroid
