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

/// Settings of the open loop, if it is run. 0 cycles: chosen to suit the case.
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
  Rank peers = 0;  ///< number of peers that a node sends to, a sample; 0: all
  LoadSettings load{};
  bool validates = false;  ///< also runs every case on rings, by --route torus

  bool is_virtual() const { return run.fabric == FabricName::sim; }
  /// Runs at a time. In virtual time: as the user says (default: one per core). Otherwise one,
  /// which uses all cores.
  unsigned at_once() const;
};

/// Throws BadInput if a campaign cannot run with these options. All runs take one route; `auto`
/// means hop by hop if one of the runs concerns links.
CampaignSettings campaign_settings(CommonOptions common, bool concerns_links = false);

/// verb, version, git_hash, fabric, time_kind, seed, machine: the first keys of a result.
Json campaign_head(std::string_view verb, const CampaignSettings& settings);
/// Everything that decides results and is not part of a case; a journal belongs to these settings.
Json journal_settings(std::string_view verb, const CampaignSettings& settings);

}  // namespace toroid
