// Wrong answers of a policy.
#pragma once

#include <cstdint>
#include <optional>

#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/probe.hpp"
#include "tools/lab/policy_check/questions.hpp"

namespace toroid {

/// The first wrong answer about a machine; empty: all are right.
std::optional<Breakage> first_wrong_answer(const Policy& policy, const AskedCase& asked,
                                           std::uint64_t seed);

}  // namespace toroid
