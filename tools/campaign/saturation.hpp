// Latency against offered load, and the load from which on a network no longer keeps up.
#pragma once

#include <span>
#include <vector>

#include "tools/campaign/case.hpp"
#include "tools/campaign/run_case.hpp"
#include "tools/campaign/settings.hpp"
#include "tools/results/json.hpp"

namespace toroid {

struct LoadSweep {
  std::vector<Json> rows;  ///< by curve, then by load
  /// Of every curve: its columns, "carried", the highest load that was not saturated below the
  /// first that was, "accepted", what got through there, and "saturated_at", the first that was;
  /// null: none.
  std::vector<Json> saturation;
  bool interrupted = false;  ///< rows are missing
};

/// A curve per case: the given loads, ascending, then the middle between carried and saturated,
/// `refinements` times. `show` is shown the rows of each of these rounds by curve, then by load.
LoadSweep sweep_load(std::span<const CampaignCase> curves, std::vector<double> loads,
                     unsigned refinements, const CampaignSettings& settings, Journal* journal,
                     const RowSink& show);

}  // namespace toroid
