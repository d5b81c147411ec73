// Arithmetic expressions in the tables of published numbers, such as
// "2 * torus32.time_s - mesh32.time_s".
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace toroid {

/// Returns the value of a name; empty if it is unknown.
using NameValue = std::function<std::optional<double>(std::string_view)>;

/// Evaluates numbers and names joined by + - * / and brackets. A name consists of letters, digits,
/// '_' and '.'. Returns an empty value if the text is empty or "-", if a name has no value, or if a
/// divisor is 0. Throws BadInput if the text is not an expression.
std::optional<double> evaluate(std::string_view text, const NameValue& value_of);

}  // namespace toroid
