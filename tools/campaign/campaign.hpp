// Many runs, several at once, with what is finished kept on the disk.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/results/json.hpp"

namespace toroid {

class Journal;

struct CampaignRun {
  unsigned at_once = 1;
  bool quiet = false;
  bool failures_last = true;   ///< a run that failed would fail again: its row is kept too
  Journal* journal = nullptr;  ///< none: only what the caller keeps outlasts the command
  /// Is shown the row of keys[i] when it and all before it are there, and no other meanwhile; at an
  /// interruption the rest of what is finished. May throw, which ends the campaign.
  std::function<void(std::size_t i, const Json& row)> show{};
  /// What a run takes, in any unit, for the time left; none: all the same.
  std::vector<double> work{};
};

/// The rows of the cases named by `keys`, in their order. `run_one(i)` makes that of keys[i], on
/// any thread; rows that the journal has are not made again. What `run_one` throws becomes a row
/// {"error": one line}, and all others are made nevertheless.
///
/// An interruption ends the runs under way: the rows of what was not finished before are null.
std::vector<Json> run_campaign(const CampaignRun& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one);

/// Runs at once where the user does not say: one per core that the process may use.
unsigned cores_at_hand();

}  // namespace toroid
