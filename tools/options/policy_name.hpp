// Names of policies of somebody's own.
#pragma once

#include <string>
#include <string_view>

namespace toroid {

/// Whether tables and CSV files can show a policy's name as it stands.
bool is_policy_name(std::string_view name);
inline constexpr std::string_view kPolicyNameRule = "must have letters, digits and -_.:+ only";

/// Why a policy that is not a built-in one cannot have this name; empty: it can.
std::string own_name_fault(std::string_view name);

}  // namespace toroid
