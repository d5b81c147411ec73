// Finds wrong answers of a policy.
#pragma once

#include <cstdint>
#include <optional>

#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/isolated_process.hpp"
#include "tools/lab/policy_check/policy_queries.hpp"

namespace toroid {

/// The first wrong answer about a machine; empty if all are right.
std::optional<Breakage> first_wrong_answer(const Policy& policy, const AskedCase& asked,
                                           std::uint64_t seed);

}  // namespace toroid
