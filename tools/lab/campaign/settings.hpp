// What all runs of a campaign share.
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

/// The open loop, where that is what is run. 0 cycles: as the case suggests.
struct LoadSettings {
  ArrivalRule arrivals = ArrivalRule::bernoulli;
  Tick window = 0;
  Tick warm_up = 0;
};

struct CampaignSettings {
  CommonOptions common{};
  Machine machine{};
  std::vector<std::string> machines{"bgl"};  ///< names, one at least
  RunOptions run{};                          ///< but for what the policy decides
  Rank peers = 0;                            ///< that a node sends to: a sample; 0: all
  LoadSettings load{};
  bool validates = false;  ///< runs on rings too, by the route torus

  bool is_virtual() const { return run.fabric == FabricName::sim; }
  /// Runs at once: on the model as the user says or one per core; else one, which has the cores.
  unsigned at_once() const;
};

/// Throws BadInput where a campaign cannot run like that. All its runs take one route; of `auto`
/// hop by hop where one of them concerns links.
CampaignSettings campaign_settings(CommonOptions common, bool concerns_links = false);

/// verb, version, git_hash, fabric, time_kind, seed, machine: the first keys of the result.
Json campaign_head(std::string_view verb, const CampaignSettings& settings);
/// All that decides results and is not in a case: what a journal belongs to.
Json journal_settings(std::string_view verb, const CampaignSettings& settings);

}  // namespace toroid
