// The policies of this folder, each broken in its own way. They form one library: a copy of its
// file provides the policy with the name of the copy, e.g. "hangs.so".
#pragma once

#include <toroid/packet/policies/library.hpp>

#include <map>
#include <string_view>

namespace toroid::testing {

/// The library entry of each policy, by the name of its file.
inline std::map<std::string_view, const PolicyLibrary*>& broken_policies() {
  static std::map<std::string_view, const PolicyLibrary*> all;
  return all;
}

/// A static object that registers a policy when the library is loaded.
template <typename Class>
struct BrokenPolicy {
  explicit BrokenPolicy(std::string_view name) {
    broken_policies()[name] = detail::policy_library<Class>();
  }
};

}  // namespace toroid::testing
