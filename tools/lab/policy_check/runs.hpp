// Small runs of a policy: every traffic and every transform method, in virtual time and on rings.
#pragma once

#include "tools/lab/policy_check/checked_policy.hpp"
#include "tools/lab/policy_check/isolated_process.hpp"

namespace toroid {

/// Runs every traffic on every machine. The runs must end, lose nothing, and give the same result
/// on two threads.
void check_traffics(const CheckedPolicy& checked, ProbeReport& report);
/// Runs every workload: small transforms by every method, and a replay of messages.
void check_workloads(const CheckedPolicy& checked, ProbeReport& report);
/// Runs all-to-alls and a transform on rings of this host, with data in their packets.
void check_rings(const CheckedPolicy& checked, ProbeReport& report);

/// For each machine, reports the percentage of the bound that an all-to-all of 480 B reaches, as a
/// value with the machine's name. Reports no value if the policy refuses the machine.
void measure_distance(const CheckedPolicy& checked, ProbeReport& report);

}  // namespace toroid
