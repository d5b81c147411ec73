// Announces the expected time and memory of a campaign before it begins, and warns of shared cores.
#pragma once

#include <span>
#include <vector>

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

class FinishedRows;

/// Expected seconds of each case's run on its own. Those of an open loop are in proportion to its
/// load.
std::vector<double> expected_seconds(std::span<const CampaignCase> cases,
                                     const CampaignSettings& settings);

/// Expected time and memory of the cases that are not in `finished` (may be null), with as many
/// runs at a time as the settings allow. Throws BadInput if they do not fit into memory.
RunEstimate expected_of(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                        const FinishedRows* finished);
/// Announces the estimate of expected_of().
void announce_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                    const FinishedRows* finished);

/// Warns if the workers of a run share cores, because wall-clock times then depend on how the
/// operating system schedules them. On `ofi` all processes call it.
void warn_of_shared_cores(std::span<const CampaignCase> cases, const CampaignSettings& settings);

}  // namespace toroid
