// Policies by the names that users type: built-in policies and the user's own.
//
//   random, bruck:4    built in
//   ./mine.so[:N]      from a shared library, see policy_plugin.hpp
//   mine.toml          as data, see policy_file.hpp
#pragma once

#include <string>
#include <string_view>

#include "packet/policies/policy.hpp"

namespace toroid {

/// The policy of this name. It lives as long as the process. Throws BadInput if there is none.
const Policy& policy_named(std::string_view text);

/// Whether the text names a file of the user rather than a built-in policy.
bool names_policy_file(std::string_view text);

/// A checksum of a policy's files, so that journals and checkpoints distinguish policies of the
/// same name; empty for built-in policies.
std::string policy_sum(std::string_view text);

/// Adds a policy under a name that no file and no built-in policy has, such as "@mine". It replaces
/// an earlier policy of that name and must outlive every run that names it. `source`: a text that
/// differs if the policy does; the processes of a run compare it.
void add_named_policy(std::string name, const Policy& policy, std::string source = "");
/// Removes an added policy. Later runs must not name it.
void remove_named_policy(std::string_view name);

}  // namespace toroid
