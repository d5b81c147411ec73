// Sweeps the offered load: latency at each load, and the load at which the network saturates.
#pragma once

#include <span>
#include <vector>

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

struct LoadSweep {
  std::vector<Json> rows;  ///< by curve, then by load
  /// One object per curve:
  /// - the curve's columns
  /// - "saturated_at": the first saturated load; null if there is none
  /// - "carried": the highest unsaturated load below "saturated_at"; 0 if there is none
  /// - "accepted": the load received when "carried" was offered; null if "carried" is 0
  std::vector<Json> saturation;
  bool interrupted = false;  ///< whether rows are missing
};

/// Runs a curve per case: first the given loads in ascending order, then `refinements` times the
/// middle between the highest unsaturated and the lowest saturated load. `show` gets the rows of
/// each of these rounds by curve, then by load.
LoadSweep sweep_load(std::span<const CampaignCase> curves, std::vector<double> loads,
                     unsigned refinements, const CampaignSettings& settings, FinishedRows* finished,
                     const RowSink& show);

}  // namespace toroid
