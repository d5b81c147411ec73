// Sweeps the offered load for its latency and for the load at which the network saturates.
#pragma once

#include <span>
#include <vector>

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

struct LoadSweep {
  std::vector<Json> rows;  ///< by curve, then by load
  /// An object per curve: its columns; "carried", the highest unsaturated load below the first
  /// saturated one; "accepted", the load that got through there; "saturated_at", the first
  /// saturated load. Null where there is no such load.
  std::vector<Json> saturation;
  bool interrupted = false;  ///< rows are missing
};

/// Runs a curve per case: the given loads, ascending, then `refinements` times the middle between
/// the highest unsaturated and the lowest saturated load. `show` gets the rows of each of these
/// rounds by curve, then by load.
LoadSweep sweep_load(std::span<const CampaignCase> curves, std::vector<double> loads,
                     unsigned refinements, const CampaignSettings& settings, FinishedRows* finished,
                     const RowSink& show);

}  // namespace toroid
