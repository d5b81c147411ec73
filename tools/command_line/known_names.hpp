// Names that users type for policies and patterns of traffic, and all that `toroid info` lists.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/results/json.hpp"

namespace toroid {

std::span<const std::string_view> policy_names();
/// And "all" besides.
std::span<const std::string_view> policy_names_and_all();
std::span<const std::string_view> traffic_pattern_names();

/// Machines that come along, policies, patterns of traffic and orders, each with a line about it:
/// {"presets": [{"name", "about"}], "policies": [...], "traffics": [...], "orders": [...]}.
Json known_names_json();
/// The same in lines that fit the page, each begun by "# ".
std::string known_names_text();

}  // namespace toroid
