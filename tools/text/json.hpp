// JSON that keeps keys in the order in which they were added, and numbers in it as people would
// have written them.
#pragma once

#include <nlohmann/json.hpp>  // IWYU pragma: export

namespace toroid {

using Json = nlohmann::ordered_json;

/// The number of at most 12 significant digits that `number` was meant to be where it misses one
/// by the rounding errors of a few operations (4 for 3.9999999999999996, 0.3 for
/// 0.30000000000000004); any other number as it is, to its last digit.
double plain_number(double number);

/// The same with all numbers inside it plain, whole ones without ".0".
Json with_plain_numbers(Json json);

}  // namespace toroid
