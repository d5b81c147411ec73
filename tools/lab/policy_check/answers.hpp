// What a policy answers when it is asked by itself: orders, relays and settings of small machines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/probe.hpp"

namespace toroid {

/// A machine on which a policy is tried.
struct CheckShape {
  std::string name;  ///< as shown
  Shape shape;
};
/// Tori, meshes, uneven and twisted shapes, extents of 1 and 2, a failed link. All are small.
std::vector<CheckShape> check_shapes();

/// A number that follows from all answers of a policy on a machine, whatever the sequence in which
/// they were asked for; by the machine's name.
using AnswerSums = std::map<std::string, std::uint64_t>;

/// Asks for all answers twice and looks at each. Gives the sums as values of the report.
void check_answers(const Policy& policy, std::uint64_t seed, ProbeReport& report);
/// The sums again, in another process, asked for from the last to the first; forwards.
void check_sums_backwards(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                          ProbeReport& report);
void check_sums_forwards(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                         ProbeReport& report);
/// Several threads ask at once.
void check_sums_of_threads(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                           ProbeReport& report);

}  // namespace toroid
