// The policy of a run on the command line: its name and the user's changes to its settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// Option texts as typed. Empty or 0 means that the option was not given.
struct PolicyOptions {
  std::string policy = "random";
  std::string order;
  std::string routing;
  std::string tie;
  std::string tying;
  std::string fifo_links;
  std::string drain;
  unsigned queues = 0;          ///< the patent's L
  std::uint32_t per_visit = 0;  ///< the patent's b

  /// Throws BadInput if a name is unknown.
  const Policy& named() const;
  SettingChanges changes() const;
};

/// Adds an option for a list of policies: names of built-in policies, "all", and users' files.
void add_policy_list(CLI::App& verb, const std::string& option, std::vector<std::string>& policies);

/// Adds the group "Policy".
void add_policy_options(CLI::App& verb, PolicyOptions& options);

}  // namespace toroid
