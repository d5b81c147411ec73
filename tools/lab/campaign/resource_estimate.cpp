#include "tools/lab/campaign/resource_estimate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "router/placement/placement.hpp"
#include "tools/lab/campaign/journal.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/warning.hpp"

namespace toroid {
namespace {

/// Bytes of all messages, counted twice: each node stores what it sends and what it receives.
double payload_bytes(const CampaignCase& one) {
  return 2.0 * static_cast<double>(one.bytes) * one.shape.size() * one.shape.size();
}

RunEstimate exchange_estimate(const CampaignCase& one, const CampaignSettings& settings) {
  if (one.workload) return one.workload->estimate(settings);
  const bool carries_payload = !settings.is_virtual();
  const double arrays =
      carries_payload && one.traffic->is_uniform_all_to_all() ? payload_bytes(one) : 0;
  return estimate_run(exchange_work(*one.policy, *one.traffic, one.shape, settings.peers),
                      one.shape, settings.machine, settings.run, arrays);
}

/// Estimates each exchange once, and each curve once, at load 1. Other loads of a curve are in
/// proportion.
class Estimates {
 public:
  explicit Estimates(const CampaignSettings& settings) : settings_(settings) {}

  RunEstimate of(const CampaignCase& one) {
    const auto key =
        std::tuple(one.policy, one.traffic.get(), one.workload.get(), one.load.has_value());
    auto found = known_.find(key);
    if (found == known_.end()) {
      const CampaignSettings settings = settings_of(one, settings_);
      RunEstimate expected = exchange_estimate(one, settings);
      if (one.load) expected.seconds *= exchanges_at_full_load(one, settings);
      found = known_.emplace(key, expected).first;
    }
    return {found->second.seconds * one.load.value_or(1), found->second.bytes};
  }

 private:
  const CampaignSettings& settings_;
  std::map<std::tuple<const Policy*, const Traffic*, const Workload*, bool>, RunEstimate> known_;
};

}  // namespace

std::vector<double> expected_seconds(std::span<const CampaignCase> cases,
                                     const CampaignSettings& settings) {
  Estimates estimates(settings);
  std::vector<double> seconds;
  for (const CampaignCase& one : cases) seconds.push_back(estimates.of(one).seconds);
  return seconds;
}

RunEstimate expected_of(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                        const FinishedRows* finished) {
  Estimates estimates(settings);
  RunEstimate all;
  double longest = 0, largest = 0;
  std::size_t runs = 0;
  for (const CampaignCase& one : cases) {
    if (finished != nullptr && finished->find(one.key()) != nullptr) continue;
    const RunEstimate expected = estimates.of(one);
    all.seconds += expected.seconds;
    longest = std::max(longest, expected.seconds);
    largest = std::max(largest, expected.bytes);
    ++runs;
  }
  check_memory(largest);
  all.runs_at_once =
      static_cast<unsigned>(std::clamp<std::size_t>(runs, 1, std::max(1u, settings.at_once())));
  all.seconds = std::max(longest, all.seconds / all.runs_at_once);
  all.bytes = largest * all.runs_at_once;
  return all;
}

void announce_cases(std::span<const CampaignCase> cases, const CampaignSettings& settings,
                    const FinishedRows* finished) {
  announce(expected_of(cases, settings, finished), settings.common.quiet);
}

void warn_of_shared_cores(std::span<const CampaignCase> cases, const CampaignSettings& settings) {
  std::set<std::string> toruses;
  bool mine = false;
  for (const CampaignCase& one : cases)
    if (toruses.insert(one.shape.text()).second)
      mine |= placement_of(one.shape, settings.run).oversubscribed;
  const std::vector<double> all = settings.run.processes.numbers(mine ? 1 : 0);
  if (settings.reports() && std::ranges::any_of(all, [](double shares) { return shares > 0; }))
    warn(fmt::format(
        "workers share cores, so times on {} also depend on how the system schedules "
        "them; use fewer {}",
        settings.common.fabric,
        settings.run.fabric == FabricName::ofi ? "processes or --threads" : "--threads"));
}

}  // namespace toroid
