// The columns that rows of all kinds of runs have.
#pragma once

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/campaign/settings.hpp"
#include "tools/results/json.hpp"
#include "tools/run/emulation.hpp"

namespace toroid {

/// Adds what was counted in a run of so many cycles: packets, packet_hops, links, fifos, profile,
/// and result_hash over all of these counts but the profile.
void add_counted(Json& row, const Emulation& emulation, const Shape& shape,
                 const CampaignSettings& settings, Tick cycles);

}  // namespace toroid
