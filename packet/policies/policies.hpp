// The policies that come with the project.
#pragma once

#include <span>
#include <string_view>

#include "packet/policies/policy.hpp"

namespace toroid {

/// One of each, with the parameter that it has where none is given.
std::span<const Policy* const> built_in_policies();

/// By name, some with a parameter behind a colon: "bruck:4". It lives as long as the program.
/// Throws BadInput with the list of the known names, or with what the parameter may be.
const Policy& policy_by_name(std::string_view name);

// Of one of them, with or without its parameter.
/// What it does, in a line.
std::string_view policy_definition(std::string_view name);
/// What the number behind the colon is; empty: it has none.
std::string_view policy_parameter(std::string_view name);

}  // namespace toroid
