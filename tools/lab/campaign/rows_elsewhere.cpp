#include "tools/lab/campaign/rows_elsewhere.hpp"

namespace toroid {

RowsElsewhere::RowsElsewhere(std::span<const CampaignCase> cases, const FinishedRows* finished,
                             const Processes& processes) {
  for (const CampaignCase& one : cases) {
    const std::string key = one.key();
    const bool is_finished = finished != nullptr && finished->find(key) != nullptr;
    if (processes.numbers(is_finished ? 1 : 0).front() > 0) keys_.insert(key);
  }
}

const Json* RowsElsewhere::find(const std::string& key) const {
  return keys_.contains(key) ? &row_ : nullptr;
}

}  // namespace toroid
