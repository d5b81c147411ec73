// `toroid policy check`: what a policy breaks, and how close it comes to the bound.
#pragma once

#include <cstdint>
#include <string>

namespace toroid {

struct PolicyCheckOptions {
  std::uint64_t seed = 1;
  double limit = 20;  ///< seconds after which a case counts as hanging; at least 1
  std::string json;   ///< file; "-" is standard output; empty if not wanted
  bool quiet = false;
};

/// Runs the policy on small cases, each part in a process of its own, and prints what it breaks.
/// Returns the exit code: 0 if it breaks nothing, otherwise 1. Throws BadInput if the policy does
/// not exist, or has tables only for machines that are too large.
int check_policy(const std::string& name, const PolicyCheckOptions& options);

}  // namespace toroid
