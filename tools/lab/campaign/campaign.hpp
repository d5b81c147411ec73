// Runs the cases of a campaign, several at a time, and stores finished rows on disk.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/text/json.hpp"

namespace toroid {

class FinishedRows;

/// Settings of a campaign's run.
struct CampaignRun {
  unsigned at_once = 1;
  bool quiet = false;
  bool failures_last = true;  ///< failed runs count as finished; they would fail again
  /// Finished rows, whose cases are not run again. New rows are added to it. Null if finished rows
  /// are not kept.
  FinishedRows* finished = nullptr;
  /// Called with the row of keys[i] when that row and all earlier ones are finished, never from two
  /// threads at once. After an interruption it gets all remaining finished rows. An exception that
  /// it throws ends the campaign.
  std::function<void(std::size_t i, const Json& row)> show{};
  /// The expected work of each run, in any unit, for the estimate of the time left. If empty, all
  /// runs are expected to take the same time.
  std::vector<double> work{};
};

/// Returns the rows of the cases named by `keys`, in this order. `run_one(i)` makes the row of
/// keys[i], on any thread; finished rows are not made again. If `run_one` throws, the row is
/// {"error": MESSAGE}, with a message of one line, and the other runs continue; only an
/// EmbeddingError ends the campaign. An interruption ends the runs in progress; the rows of
/// unfinished runs are null.
std::vector<Json> run_campaign(const CampaignRun& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one);

/// The default number of runs at a time: one per core that the process may use.
unsigned cores_at_hand();

}  // namespace toroid
