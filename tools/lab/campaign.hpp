// Many runs, several at once, with what is finished kept on the disk.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "tools/lab/journal.hpp"

namespace toroid {

struct CampaignOptions {
  unsigned at_once = 1;
  bool quiet = false;
  bool failures_last = true;   ///< a run that failed would fail again: its row is kept too
  Journal* journal = nullptr;  ///< none: an interruption loses everything
};

/// The rows of the cases named by `keys`, in their order. `run_one(i)` makes that of keys[i], on
/// any thread; rows that the journal has are not made again. What `run_one` throws becomes a row
/// {"error": one line}, and all others are made nevertheless.
///
/// An interruption ends the runs under way and throws RunFailed when they have ended: what was
/// finished before is in the journal.
std::vector<Json> run_campaign(const CampaignOptions& options, std::span<const std::string> keys,
                               const std::function<Json(std::size_t)>& run_one);

/// Runs at once where the user does not say: one per core that the process may use.
unsigned cores_at_hand();

}  // namespace toroid
