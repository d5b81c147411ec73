// Runs one case and makes its row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "packet/node/settings.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

class FinishedRows;

/// The exchange of the case's traffic under its policy: what add_timing() gives, packets,
/// packet_hops, links, latency (on the wall clock latency_s), fifos, result_hash, wall_s. Throws
/// RunFailed where it cannot be finished or a packet was lost.
Json run_exchange_case(const CampaignCase& one, const CampaignSettings& settings);

/// The case's traffic in open loop at its load: accepted, latency_p50, latency_p99, saturated, ...
/// (docs/LAB.md). Throws RunFailed where a packet was lost, BadInput where a node would have to
/// send more than a message per cycle. REQUIRES: virtual time.
Json run_load_case(const CampaignCase& one, const CampaignSettings& settings);

/// How many of the case's exchanges have as many packets as its open loop at the load 1.
double exchanges_at_full_load(const CampaignCase& one, const CampaignSettings& settings);

/// Throws BadInput where the policy cannot run the traffic.
void refuse_unfit(const CampaignCase& one, const CampaignSettings& settings, bool in_open_loop);
/// Throws BadInput if the policy does more than the open loop can.
void refuse_unfit_for_load(const CampaignCase& one, const CampaignSettings& settings,
                           const PolicySettings& of_policy);

/// The cases that the open loop can run; of policies that do the same there, the first.
std::vector<CampaignCase> cases_for_load(std::span<const CampaignCase> cases,
                                         const Machine& machine);

/// Is shown each row in the order of the cases, as soon as it and all before it are there.
using RowSink = std::function<void(const Json& row)>;

/// A campaign's rows, each with its case's columns in front.
struct CaseRows {
  std::vector<Json> rows;  ///< null: not finished
  bool interrupted() const;
  std::vector<Json> finished() const;
};

/// In the order of the cases. `finished` as for run_campaign; `show` may be empty.
CaseRows run_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                   FinishedRows* finished, const RowSink& show);

/// The hash of all rows, without the figures that depend on the wall clock.
std::string rows_hash(std::span<const Json> rows, const CampaignSettings& settings);

/// Throws BadInput where a case cannot be run, or this host cannot hold its nodes.
void refuse_unfit(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                  bool in_open_loop = false);

}  // namespace toroid
