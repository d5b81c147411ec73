// The built-in policies.
#pragma once

#include <span>
#include <string_view>

#include "packet/policies/policy.hpp"

namespace toroid {

/// All built-in policies. If a policy has a parameter, it has the default value here.
std::span<const Policy* const> built_in_policies();

/// A policy by its name, with a parameter after a colon if it has one: "bruck:4". It lives as long
/// as the process. Throws BadInput with the known names, or with the parameter's range.
const Policy& policy_by_name(std::string_view name);

// Descriptions of a built-in policy; `name` may have a parameter.
/// One line that says what the policy does.
std::string_view policy_definition(std::string_view name);
/// The meaning of the number after the colon; empty if the policy has no parameter.
std::string_view policy_parameter(std::string_view name);

}  // namespace toroid
