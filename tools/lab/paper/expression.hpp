// Arithmetic in the tables of published numbers: "2 * torus32.time_s - mesh32.time_s".
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace toroid {

/// The value of a name; none where it is not known.
using NameValue = std::function<std::optional<double>(std::string_view)>;

/// The value of numbers and names joined by + - * / and brackets; a name consists of letters,
/// digits, '_' and '.'. None where a name has no value, for "-" and where a divisor is 0. Throws
/// BadInput where the text is no expression.
std::optional<double> evaluate(std::string_view text, const NameValue& value_of);

}  // namespace toroid
