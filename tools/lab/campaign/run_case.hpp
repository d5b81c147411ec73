// Runs a case and makes its row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "packet/node/settings.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

class FinishedRows;

/// Runs the exchange of the case's traffic under its policy. The row has the keys of add_timing(),
/// packets, packet_hops, links, latency (on shm latency_s), fifos, result_hash, wall_s. It is empty
/// on a process that does not report. Throws RunFailed if the exchange cannot be finished or a
/// packet was lost.
Json run_exchange_case(const CampaignCase& one, const CampaignSettings& settings);

/// Runs the case's traffic in open loop at its load. The row has accepted, latency, saturated, ...
/// (docs/LAB.md). Throws RunFailed if a packet was lost, BadInput if a node would have to send more
/// than a message per cycle. REQUIRES: virtual time.
Json run_load_case(const CampaignCase& one, const CampaignSettings& settings);

/// The number of exchanges of the case that have as many packets as its open loop at load 1.
double exchanges_at_full_load(const CampaignCase& one, const CampaignSettings& settings);

/// Throws BadInput if the policy cannot run the traffic.
void refuse_unfit(const CampaignCase& one, const CampaignSettings& settings, bool in_open_loop);
/// Throws BadInput if the policy cannot be used in open loop.
void refuse_unfit_for_load(const CampaignCase& one, const CampaignSettings& settings,
                           const PolicySettings& of_policy);

/// The cases that the open loop can run. Among policies that act alike there, only the first is
/// kept.
std::vector<CampaignCase> cases_for_load(std::span<const CampaignCase> cases,
                                         const Machine& machine);

/// Receives each row, in the order of the cases, as soon as this and all earlier rows are finished.
using RowSink = std::function<void(const Json& row)>;

/// The rows of a campaign; each begins with the columns of its case.
struct CaseRows {
  std::vector<Json> rows;  ///< null for a case that is not finished
  bool interrupted() const;
  std::vector<Json> finished() const;
};

/// Runs the cases in order. `finished`: as in CampaignRun; `show` may be empty. On `ofi` all
/// processes call it with the same cases, of which the same are finished; there a failure ends the
/// campaign.
CaseRows run_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                   FinishedRows* finished, const RowSink& show);

/// The hash of all rows without the figures that depend on the wall clock.
std::string rows_hash(std::span<const Json> rows, const CampaignSettings& settings);

/// Throws BadInput if a case cannot be run, or if this host has too little memory for its nodes.
void refuse_unfit(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                  bool in_open_loop = false);

}  // namespace toroid
