// Checks the answers of a policy that is asked for orders, relays and settings on small machines,
// without running packets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/isolated_process.hpp"

namespace toroid {

/// A machine on which policies are checked.
struct CheckShape {
  std::string name;  ///< as printed
  Shape shape;
};
/// Tori, meshes, uneven and twisted shapes, extents of 1 and 2, and a failed link. All are small.
std::vector<CheckShape> check_shapes();

/// For each machine, by its name, a checksum of all answers of a policy. The checksum does not
/// depend on the order of the questions.
using AnswerSums = std::map<std::string, std::uint64_t>;

/// Asks every question twice and checks every answer. Reports the checksums as values.
void check_answers(const Policy& policy, std::uint64_t seed, ProbeReport& report);
/// Compares `sums`, which another process has computed, with sums computed here. Asks the
/// questions in reverse order; check_sums_forwards() asks them in the original order.
void check_sums_backwards(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                          ProbeReport& report);
void check_sums_forwards(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                         ProbeReport& report);
/// Computes the sums in several threads at once and compares them with `sums`.
void check_sums_of_threads(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                           ProbeReport& report);

}  // namespace toroid
