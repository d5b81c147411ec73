// The policy of a run on the command line: its name, and what the user changes in its settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// Output queues that a node may have: one per peer of the largest machine that is emulated so.
inline constexpr unsigned kMostQueues = 32767;
/// Of a visit, a queue or a window.
inline constexpr std::uint32_t kMostPackets = 1u << 24;
/// Between two packets of a throttled node.
inline constexpr double kMostCyclesPerPacket = 0x1p48;

/// Texts as typed; empty, and 0: not given.
struct PolicyOptions {
  std::string policy = "random";
  std::string order;
  std::string routing;
  std::string tie;
  std::string tying;
  std::string drain;
  unsigned queues = 0;          ///< the patent's L
  std::uint32_t per_visit = 0;  ///< the patent's b

  /// Throws BadInput where a name is unknown.
  const Policy& named() const;
  SettingChanges changes() const;
};

/// A list of policies: names of built-in ones, "all", and files of the user's own.
void add_policy_list(CLI::App& verb, const std::string& option, std::vector<std::string>& policies);

/// The group "Policy".
void add_policy_options(CLI::App& verb, PolicyOptions& options);

}  // namespace toroid
