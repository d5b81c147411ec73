// Threads that call a policy concurrently.
#pragma once

#include <cstdint>
#include <string>

#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/policy_queries.hpp"

namespace toroid {

inline constexpr unsigned kAskingThreads = 4;

/// For a short time several threads ask all questions about a machine over and over, each starting
/// with a different one. If a thread gets another sum than `expected` or an exception, returns a
/// text about the fault; otherwise an empty text.
std::string wrong_of_threads(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                             std::uint64_t expected);

}  // namespace toroid
