// Small runs of a policy: every traffic, every method of transforms, on the model and on rings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packet/policies/policy.hpp"
#include "tools/lab/policy_check/probe.hpp"

namespace toroid {

/// Runs of every traffic on every machine of check_shapes(), which must end, lose nothing, and come
/// to the same result with two threads.
void check_traffics(const Policy& policy, std::uint64_t seed, ProbeReport& report);
/// Every workload: small transforms by every method, and a replay of messages.
void check_workloads(const Policy& policy, std::uint64_t seed, ProbeReport& report);
/// Exchanges and a transform over rings of this host, with data that is compared.
void check_rings(const Policy& policy, std::uint64_t seed, ProbeReport& report);

/// The machines on which the distance from the bound is shown.
std::vector<std::string> distance_shapes();
/// The percentage of the bound that an all-to-all of 480 B reaches on each, as values of the report
/// with the machine's name; none where the policy does not take it.
void measure_distance(const Policy& policy, std::uint64_t seed, ProbeReport& report);

}  // namespace toroid
