// Policies as users name them: built-in ones, and those of their own.
//
//   random, bruck:4    built in
//   ./mine.so[:N]      from a shared library, policy_library.hpp
//   mine.toml          as data, policy_file.hpp
#pragma once

#include <string>
#include <string_view>

#include "packet/policies/policy.hpp"

namespace toroid {

/// The policy of this name. It lives as long as the process. Throws BadInput where there is none.
const Policy& policy_named(std::string_view text);

/// Whether the text names a file of somebody's own rather than a built-in policy.
bool names_policy_file(std::string_view text);

/// A checksum of the files from which a policy comes, so that journals and checkpoints tell
/// policies of one name apart; empty for built-in ones.
std::string policy_sum(std::string_view text);

/// Adds a policy under a name that no file and no built-in policy has, "@mine". It replaces an
/// earlier one of that name. The policy must outlive every run that names it.
void add_named_policy(std::string name, const Policy& policy);
/// Forgets it. No run may name it any more.
void remove_named_policy(std::string_view name);

}  // namespace toroid
