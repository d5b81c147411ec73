// What a policy breaks, and how far from the bound it is: `toroid policy check`.
#pragma once

#include <cstdint>
#include <string>

namespace toroid {

struct PolicyCheckOptions {
  std::uint64_t seed = 1;
  double limit = 20;  ///< seconds after which a case counts as hanging
  std::string json;   ///< empty: none; "-": standard output
  bool quiet = false;
};

/// Runs the policy over small cases, each in a process of its own, and prints what it breaks.
/// Returns the exit code: 0 it breaks nothing, 1 it does. Throws BadInput where there is no such
/// policy.
int check_policy(const std::string& name, const PolicyCheckOptions& options);

}  // namespace toroid
