// Threads that call a policy concurrently.
#pragma once

#include <cstdint>
#include <string>

#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/questions.hpp"

namespace toroid {

inline constexpr unsigned kAskingThreads = 4;

/// Asks all questions about a machine from several threads for a moment, each starting with a
/// different one. Returns the fault if a thread gets another sum than `expected`, or an exception;
/// empty: no fault.
std::string wrong_of_threads(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                             std::uint64_t expected);

}  // namespace toroid
