// Settings that all runs of a campaign share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/open_loop.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Settings of the open loop, if it is run. A window or warm-up of 0 cycles means that it is chosen
/// to suit the case.
struct LoadSettings {
  ArrivalRule arrivals = ArrivalRule::bernoulli;
  Tick window = 0;
  Tick warm_up = 0;
};

struct CampaignSettings {
  CommonOptions common{};
  Machine machine{};
  std::vector<std::string> machines{"bgl"};  ///< names, at least one
  RunOptions run{};                          ///< without the policy's settings
  unsigned processes = 1;                    ///< number of processes that make the rows
  Rank peers = 0;  ///< each node sends to a sample of this many peers; to all if 0
  LoadSettings load{};
  bool validates = false;  ///< also runs every case on shm with --route torus

  bool is_virtual() const { return run.fabric == FabricName::sim; }
  /// Whether this is the process that keeps the rows and writes the outputs.
  bool reports() const { return run.processes.reports(); }
  /// Number of concurrent runs. In virtual time it is --threads (default: one per core). In
  /// wall-clock time it is one, because a run uses all cores.
  unsigned at_once() const;
};

/// Throws BadInput if a campaign cannot run with these options. All runs take the same route. If
/// `concerns_links`, i.e. if links matter to one of the runs, the route `auto` means hop by hop. On
/// `ofi` it joins the other processes, which run all cases in one job.
CampaignSettings campaign_settings(CommonOptions common, bool concerns_links = false);

/// The first keys of a result: verb, version, git_hash, fabric, time_kind, seed, machine, transfer,
/// in wall-clock time route, and on `ofi` processes.
Json campaign_head(std::string_view verb, const CampaignSettings& settings);
/// Everything that decides results and is not part of a case. Only a campaign with equal settings
/// can continue a journal.
Json journal_settings(std::string_view verb, const CampaignSettings& settings);

}  // namespace toroid
