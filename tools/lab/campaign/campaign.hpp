// Runs the cases of a campaign, several at once, and keeps finished rows on the disk.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/text/json.hpp"

namespace toroid {

class FinishedRows;

/// How a campaign runs.
struct CampaignRun {
  unsigned at_once = 1;
  bool quiet = false;
  bool failures_last = true;  ///< whether rows of failed runs are kept: the run would fail again
  FinishedRows* finished = nullptr;  ///< kept, and not made again; null: none
  /// Called with the row of keys[i] when it and all rows before it are finished, never from two
  /// threads at once; after an interruption with all finished rows that are left. An exception ends
  /// the campaign.
  std::function<void(std::size_t i, const Json& row)> show{};
  /// The expected work of each run in any unit, for the time left; empty where all take the same.
  std::vector<double> work{};
};

/// Returns the rows of the cases named by `keys`, in their order. `run_one(i)` makes the row of
/// keys[i], on any thread; finished rows are not made again. An exception of `run_one`
/// becomes a row {"error": one line} and does not keep the others from running. After an
/// interruption, which ends the runs under way, the rows of unfinished runs are null.
std::vector<Json> run_campaign(const CampaignRun& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one);

/// The number of runs at once where the user does not say: one per core that the process may use.
unsigned cores_at_hand();

}  // namespace toroid
