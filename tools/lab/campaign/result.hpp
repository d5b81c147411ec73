// The result of a campaign as JSON and as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/campaign/settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// A line of column names, then a line per row. A cell holds one number or one text; null is an
/// empty cell. The columns are those of all rows, each after the column that it follows in its row.
/// A value inside an object gets the column `outer_inner`; items of an array get `name_0`,
/// `name_1`, ...
std::string csv_text(std::span<const Json> rows);

struct CampaignResult {
  std::string_view verb;
  std::string_view axis;     ///< what differs along a comparison: policy, load, bytes or nodes
  Json axes{};               ///< values that the user chose, by key of the rows
  Json settings{};           ///< further keys of the command; null: none
  std::vector<Json> rows{};  ///< rows of finished runs
  Json saturation{};         ///< null: none
  Json summary{};            ///< over several seeds; null: none
  Json agreement{};          ///< with another fabric; null: not requested
  Json failed_there{};       ///< rows of runs that failed on that fabric; null: none
  std::string shard{};       ///< "2/4"; empty: all cases
  bool interrupted = false;
};

/// Returns verb, version, git_hash, fabric, time_kind, seed, machine, axis, axes, settings, rows,
/// result_hash; and "interrupted": true if rows are missing.
Json campaign_report(const CampaignResult& result, const CampaignSettings& settings);

}  // namespace toroid
