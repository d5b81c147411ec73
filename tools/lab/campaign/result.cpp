#include "tools/lab/campaign/result.hpp"

#include "tools/lab/campaign/run_case.hpp"

namespace toroid {

Json campaign_report(const CampaignResult& result, const CampaignSettings& settings) {
  Json report = campaign_head(result.verb, settings);
  report["axis"] = result.axis;
  report["axes"] = result.axes;
  report["peers"] = settings.peers == 0 ? Json() : Json(settings.peers);
  if (!result.shard.empty()) report["shard"] = result.shard;
  if (!result.settings.is_null()) report.update(result.settings);
  report["rows"] = result.rows;
  if (!result.saturation.is_null()) report["saturation"] = result.saturation;
  if (!result.summary.is_null()) report["summary"] = result.summary;
  if (!result.agreement.is_null()) report["agreement"] = result.agreement;
  if (!result.failed_there.is_null()) report["failed_there"] = result.failed_there;
  if (result.interrupted) report["interrupted"] = true;
  report["result_hash"] = rows_hash(result.rows, settings);
  return report;
}

}  // namespace toroid
