// The rows that another process of a campaign has.
#pragma once

#include <set>
#include <span>
#include <string>

#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/run/processes.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// On a process that does not report: which cases the reporting process has finished, in place of
/// their rows. So all processes leave out the same cases.
class RowsElsewhere final : public FinishedRows {
 public:
  /// All processes construct it together, with the same cases. `finished`: the rows of this
  /// process; null if it has none.
  RowsElsewhere(std::span<const CampaignCase> cases, const FinishedRows* finished,
                const Processes& processes);

  /// An empty row for a finished case; null for any other case.
  const Json* find(const std::string& key) const override;
  void add(const std::string& /*key*/, const Json& /*row*/) override {}

 private:
  std::set<std::string> keys_;
  Json row_ = Json::object();
};

}  // namespace toroid
