// JSON that keeps keys in insertion order and writes numbers without rounding noise.
#pragma once

#include <nlohmann/json.hpp>  // IWYU pragma: export

namespace toroid {

using Json = nlohmann::ordered_json;

/// Returns the nearest number of at most 12 significant digits if `number` differs from it only by
/// the rounding errors of a few operations (4 for 3.9999999999999996, 0.3 for
/// 0.30000000000000004); otherwise returns `number` unchanged.
double plain_number(double number);

/// Applies plain_number() to all numbers in `json`; whole numbers become integers (no ".0").
Json with_plain_numbers(Json json);

}  // namespace toroid
