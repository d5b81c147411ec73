#include "tools/lab/campaign/rows_elsewhere.hpp"

#include <cstddef>
#include <utility>

#include "hal/check.hpp"
#include "router/job/blob.hpp"

namespace toroid {

RowsElsewhere::RowsElsewhere(std::span<const CampaignCase> cases, const FinishedRows* finished,
                             const Processes& processes) {
  Blob mine;
  for (const CampaignCase& one : cases)
    mine.push_back(std::byte{finished != nullptr && finished->find(one.key()) != nullptr});
  const Blob there = processes.from_reporter(std::move(mine));
  TOROID_CHECK_EQ(there.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (there[i] != std::byte{0}) keys_.insert(cases[i].key());
}

const Json* RowsElsewhere::find(const std::string& key) const {
  return keys_.contains(key) ? &row_ : nullptr;
}

}  // namespace toroid
