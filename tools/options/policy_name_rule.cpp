#include "tools/options/policy_name_rule.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {
namespace {

std::string_view without_parameter(std::string_view name) {
  return name.substr(0, name.find(':'));
}

}  // namespace

bool is_policy_name(std::string_view name) {
  const auto is_fit = [](char c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("-_.:+").find(c) != std::string_view::npos;
  };
  return !name.empty() && std::ranges::all_of(name, is_fit);
}

std::string own_name_fault(std::string_view name) {
  if (name.empty()) return "its name is empty";
  if (!is_policy_name(name)) return fmt::format("its name '{}' {}", name, kPolicyNameRule);
  for (const Policy* policy : built_in_policies())
    if (without_parameter(policy->name()) == without_parameter(name))
      return fmt::format("its name {} is taken by a built-in policy", name);
  return "";
}

}  // namespace toroid
