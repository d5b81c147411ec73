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
  /// If set, the first failure ends the campaign with the text that this returns for keys[i] and
  /// the reason. Several processes need it: a process that has left a run because of a failure does
  /// not meet the others in the next run.
  std::function<std::string(std::size_t i, const std::string& why)> fatal{};
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
/// keys[i], on any thread, and on the calling thread if at_once is 1; finished rows are not made
/// again. If `run_one` throws, the row is {"error": MESSAGE}, with a message of one line, and the
/// other runs continue; only an EmbeddingError ends the campaign, and every failure if `fatal` is
/// set. An interruption ends the runs in progress; the rows of unfinished runs are null.
std::vector<Json> run_campaign(const CampaignRun& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one);

/// The default number of runs at a time: one per core that the process may use.
unsigned cores_at_hand();

}  // namespace toroid
