// The columns that rows of all kinds of runs have.
#pragma once

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/run/emulation.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Adds what was counted in a run of so many cycles: packets, packet_hops, links, fifos, profile,
/// result_hash over all of these counts but the profile; and what follows from them: mean_hops and
/// packet_length where links are counted, accepted_rate in virtual time (docs/LAB.md). Throws
/// RunFailed if links' CRCs differ at their ends.
void add_counted(Json& row, const Emulation& emulation, const Shape& shape,
                 const CampaignSettings& settings, Tick cycles);

}  // namespace toroid
