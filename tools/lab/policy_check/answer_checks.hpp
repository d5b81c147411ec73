// Checks the answers of a policy that is asked for orders, relays and settings on its machines,
// without running packets.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/lab/policy_check/checked_policy.hpp"
#include "tools/lab/policy_check/isolated_process.hpp"

namespace toroid {

/// For each machine, by its name, a checksum of all answers of a policy. The checksum does not
/// depend on the order of the questions.
using AnswerSums = std::map<std::string, std::uint64_t>;

/// Asks every question twice and checks every answer. Reports the checksums as values.
void check_answers(const CheckedPolicy& checked, ProbeReport& report);
/// Compares `sums`, which another process has computed, with sums computed here. Asks the
/// questions in reverse order; check_sums_forwards() asks them in the original order.
void check_sums_backwards(const CheckedPolicy& checked, const AnswerSums& sums,
                          ProbeReport& report);
void check_sums_forwards(const CheckedPolicy& checked, const AnswerSums& sums, ProbeReport& report);
/// Computes the sums in several threads at once and compares them with `sums`.
void check_sums_of_threads(const CheckedPolicy& checked, const AnswerSums& sums,
                           ProbeReport& report);

}  // namespace toroid
