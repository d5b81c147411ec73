// Columns that the rows of all kinds of runs have.
#pragma once

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/run/emulation.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Adds the counts of a run of `cycles` cycles: packets, packet_hops, links, fifos, profile, and
/// result_hash over all of these except the profile. Also adds figures computed from these counts:
/// mean_hops and packet_length if links are counted, accepted_rate in virtual time (docs/LAB.md).
/// Throws RunFailed if the CRCs at the two ends of a link differ.
void add_counted(Json& row, const Emulation& emulation, const Shape& shape,
                 const CampaignSettings& settings, Tick cycles);

}  // namespace toroid
