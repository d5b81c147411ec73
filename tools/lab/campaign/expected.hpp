// Announces the time and memory that a campaign will take, before it begins.
#pragma once

#include <span>
#include <vector>

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/run/estimate.hpp"

namespace toroid {

class FinishedRows;

/// The seconds that the run of each case takes by itself; for open loops, numbers in proportion.
std::vector<double> expected_seconds(std::span<const CampaignCase> cases,
                                     const CampaignSettings& settings);

/// What the runs take of the cases that are not finished (which may be null), one after the
/// other or several at once as the settings say. Throws BadInput where memory cannot hold them.
RunEstimate expected_of(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                        const FinishedRows* finished);
/// Announces that.
void announce_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                    const FinishedRows* finished);

}  // namespace toroid
