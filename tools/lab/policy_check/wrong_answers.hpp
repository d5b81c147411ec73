// Answers of a policy that cannot be.
#pragma once

#include <cstdint>
#include <optional>

#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/probe.hpp"
#include "tools/lab/policy_check/questions.hpp"

namespace toroid {

/// The first of all answers about a machine that is wrong; none: all are right.
std::optional<Breakage> first_wrong_answer(const Policy& policy, const AskedCase& asked,
                                           std::uint64_t seed);

}  // namespace toroid
