// What a campaign will take, said before it begins.
#pragma once

#include <span>
#include <vector>

#include "tools/campaign/case.hpp"
#include "tools/campaign/settings.hpp"

namespace toroid {

class Journal;

/// Seconds that each case's run takes by itself; of an open loop in proportion to them.
std::vector<double> expected_seconds(std::span<const CampaignCase> cases,
                                     const CampaignSettings& settings);

/// Announces the runs of those cases that the journal (which may be null) has not: one after the
/// other or several at once, as the settings say. Throws BadInput where memory cannot hold them.
void announce_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                    const Journal* journal);

}  // namespace toroid
