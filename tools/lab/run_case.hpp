// One case to its row.
#pragma once

#include "tools/lab/case.hpp"
#include "tools/lab/settings.hpp"

namespace toroid {

/// The exchange of the case's traffic under its policy: cycles, time_s, bound_cycles,
/// percent_of_peak, packets, packet_hops, links, latency, fifos, result_hash, wall_s. Throws
/// RunFailed where it cannot be finished or a packet was lost.
Json run_exchange_case(const LabCase& one, const LabSettings& settings);

/// The case's traffic in open loop at its load: accepted, latency_p50, latency_p99, saturated, ...
/// (docs/LAB.md). Throws RunFailed where a packet was lost, BadInput where a node would have to
/// send more than a message per cycle. REQUIRES: virtual time.
Json run_load_case(const LabCase& one, const LabSettings& settings);

/// Throws BadInput where the policy cannot run the traffic.
void refuse_unfit(const LabCase& one, const LabSettings& settings, bool in_open_loop);
/// Likewise where it does more than the open loop can.
void refuse_unfit_for_load(const LabCase& one, const LabSettings& settings,
                           const PolicyKnobs& knobs);

/// Those that the open loop can run, of policies that do the same there the first.
std::vector<LabCase> cases_for_load(std::span<const LabCase> cases, const Machine& machine);

/// Rows as they were made, in the order of the cases, each with its case's columns in front.
/// `journal` as for run_campaign.
class Journal;
std::vector<Json> run_cases(std::span<const LabCase> cases, const LabSettings& settings,
                            Journal* journal);

/// Of rows, but for what depends on the wall clock.
std::string rows_hash(std::span<const Json> rows);

}  // namespace toroid
