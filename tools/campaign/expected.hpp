// Announces the time and memory that a campaign will take, before it begins.
#pragma once

#include <span>
#include <vector>

#include "tools/campaign/case.hpp"
#include "tools/campaign/settings.hpp"
#include "tools/run/expectation.hpp"

namespace toroid {

class Journal;

/// The seconds that the run of each case takes by itself; for open loops, numbers in proportion.
std::vector<double> expected_seconds(std::span<const CampaignCase> cases,
                                     const CampaignSettings& settings);

/// What the runs take of the cases that are not in the journal (which may be null), one after the
/// other or several at once as the settings say. Throws BadInput where memory cannot hold them.
Expectation expected_of(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                        const Journal* journal);
/// Announces that.
void announce_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                    const Journal* journal);

}  // namespace toroid
