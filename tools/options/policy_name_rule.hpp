// Rules for the names of users' own policies.
#pragma once

#include <string>
#include <string_view>

namespace toroid {

/// Whether tables and CSV files can show a policy's name unchanged.
bool is_policy_name(std::string_view name);
inline constexpr std::string_view kPolicyNameRule = "may contain only letters, digits and -_.:+";

/// Why a user's policy cannot have this name; empty if it can.
std::string own_name_fault(std::string_view name);

}  // namespace toroid
