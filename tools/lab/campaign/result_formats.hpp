// The result of a campaign as JSON and as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Returns a line of column names, then a line per row. A cell holds one number or one text; null
/// is an empty cell. A column that only some rows have stands after the column that precedes it in
/// these rows. A value inside an object gets the column `outer_inner`; items of an array get
/// `name_0`, `name_1`, ...
std::string csv_text(std::span<const Json> rows);

struct CampaignResult {
  std::string_view verb;
  std::string_view axis;     ///< what differs along a comparison: policy, load, bytes or nodes
  Json axes{};               ///< the values that occur, by key of the rows
  Json settings{};           ///< further keys of the verb; null if there are none
  std::vector<Json> rows{};  ///< rows of finished runs
  Json saturation{};         ///< null if there is none
  Json summary{};            ///< over several seeds; null if there is none
  Json summary_there{};      ///< times on another fabric; null if they are not requested
  Json agreement{};          ///< with that fabric; null if it is not requested
  Json failed_there{};       ///< rows of runs that failed on that fabric; null if none did
  std::string shard{};       ///< e.g. "2/4"; empty if all cases are run
  bool interrupted = false;
};

/// Returns the keys of campaign_head(), axis, axes, peers, the keys of `settings`, rows,
/// result_hash; and "interrupted": true if rows are missing.
Json campaign_report(const CampaignResult& result, const CampaignSettings& settings);

}  // namespace toroid
