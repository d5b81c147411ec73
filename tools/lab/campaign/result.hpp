// A campaign as JSON and as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/campaign/settings.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// A line of column names, then a line per row; a cell holds one number or one text, and null is an
/// empty cell. The columns are those of any row, each behind the one that it follows in its row. A
/// value inside an object gets the column `outer_inner`, items of an array get `name_0`, `name_1`,
/// ...
std::string csv_text(std::span<const Json> rows);

struct CampaignResult {
  std::string_view verb;
  std::string_view axis;     ///< along which rows are compared: policy, load, bytes or nodes
  Json axes{};               ///< values that the user has chosen, by the key of the rows
  Json settings{};           ///< further keys of the command; null: none
  std::vector<Json> rows{};  ///< of finished runs
  Json saturation{};         ///< null: none
  Json summary{};            ///< of several seeds; null: none
  Json agreement{};          ///< with another fabric; null: not asked for
  Json failed_there{};       ///< rows of runs that failed on that fabric; null: none
  std::string shard{};       ///< "2/4"; empty: all cases
  bool interrupted = false;
};

/// verb, version, git_hash, fabric, time_kind, seed, machine, axis, axes, settings, rows,
/// result_hash; "interrupted": true where rows are missing.
Json campaign_report(const CampaignResult& result, const CampaignSettings& settings);

}  // namespace toroid
