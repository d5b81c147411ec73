// What the row of a finished case may hold: rows that come from a file are checked before they are
// used.
#pragma once

#include <string>
#include <string_view>

#include "tools/results/json.hpp"

namespace toroid {

/// The first field of a row that is missing or of a wrong type, with what was expected, as one
/// line: "cycles is \"x\", expected a whole number from 0 on"; empty where the row can be used. A
/// figure may be null, which stands for what cannot be counted; fields of other names may be
/// anything. `key`: of the row's case, which says whether it is one of a load.
std::string wrong_field(std::string_view key, const Json& row);

}  // namespace toroid
