#include "tools/options/named_policies.hpp"

#include <fmt/core.h>

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "hal/check.hpp"
#include "packet/policies/policies.hpp"
#include "tools/files/run_inputs.hpp"
#include "tools/options/policy_file.hpp"
#include "tools/options/policy_plugin.hpp"

namespace toroid {
namespace {

/// A policy that the calling program has added.
struct AddedPolicy {
  const Policy* policy = nullptr;
  std::string source;
};

struct AddedPolicies {
  std::mutex mutex;
  std::map<std::string, AddedPolicy, std::less<>> by_name;
};

AddedPolicies& added_policies() {
  static AddedPolicies added;
  return added;
}

const Policy* added_policy(std::string_view name) {
  AddedPolicies& added = added_policies();
  const std::lock_guard lock(added.mutex);
  const auto found = added.by_name.find(name);
  if (found == added.by_name.end()) return nullptr;
  const auto& [policy, source] = found->second;
  note_input(fmt::format("policy {}", policy->name()), std::as_bytes(std::span(source)));
  return policy;
}

}  // namespace

const Policy& policy_named(std::string_view text) {
  if (const Policy* const added = added_policy(text)) return *added;
  if (names_policy_library(text)) return policy_from_library(text);
  if (names_policy_data(text)) return policy_from_data(text);
  return policy_by_name(text);
}

bool names_policy_file(std::string_view text) {
  return names_policy_library(text) || names_policy_data(text);
}

std::string policy_sum(std::string_view text) {
  if (names_policy_library(text)) return policy_library_sum(text);
  if (names_policy_data(text)) return policy_data_sum(text);
  return "";
}

void add_named_policy(std::string name, const Policy& policy, std::string source) {
  TOROID_CHECK(name.starts_with('@'));
  AddedPolicies& added = added_policies();
  const std::lock_guard lock(added.mutex);
  added.by_name.insert_or_assign(std::move(name), AddedPolicy{&policy, std::move(source)});
}

void remove_named_policy(std::string_view name) {
  AddedPolicies& added = added_policies();
  const std::lock_guard lock(added.mutex);
  if (const auto found = added.by_name.find(name); found != added.by_name.end())
    added.by_name.erase(found);
}

}  // namespace toroid
