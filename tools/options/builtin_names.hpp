// The names that users type for policies and traffic patterns, and the lists of `toroid info`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/text/json.hpp"

namespace toroid {

std::span<const std::string_view> policy_names();
/// policy_names() and "all".
std::span<const std::string_view> policy_names_and_all();
std::span<const std::string_view> traffic_pattern_names();

/// The built-in machines, policies, traffic patterns and orders, each with a short description:
/// {"presets": [{"name", "about"}], "policies": [...], "traffics": [...], "orders": [...]}.
Json known_names_json();
/// The lists of known_names_json() as text, wrapped to the page. Each line begins with "#", as a
/// comment of a machine file does.
std::string known_names_text();

}  // namespace toroid
