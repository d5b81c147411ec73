// The policies of this folder, each of which misbehaves in a way of its own. They are one library:
// a copy of its file is the policy that the copy is called, "hangs.so" for example.
#pragma once

#include <toroid/packet/policies/library.hpp>

#include <map>
#include <string_view>

namespace toroid::testing {

/// What a library of one policy says of itself, by the policy's name.
inline std::map<std::string_view, const PolicyLibrary*>& broken_policies() {
  static std::map<std::string_view, const PolicyLibrary*> all;
  return all;
}

/// An object of the library's that adds a policy when it is loaded.
template <typename Class>
struct BrokenPolicy {
  explicit BrokenPolicy(std::string_view name) {
    broken_policies()[name] = detail::policy_library<Class>();
  }
};

}  // namespace toroid::testing
