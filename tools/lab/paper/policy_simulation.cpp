// An exchange under a policy, run like a case of a campaign.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/lab/paper/simulation.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

std::string traffic_of(const PolicyRun& what) {
  return what.sample == 0 ? "all-to-all" : fmt::format("sample:{}", what.sample);
}

Machine machine_of(const PolicyRun& what, const PaperSetting& setting) {
  return what.machine.empty() ? setting.machine : load_machine(what.machine);
}

CampaignSettings campaign_settings_of(const PolicyRun& what, const PaperSetting& setting) {
  CampaignSettings settings;
  settings.common.seed = setting.seed;
  settings.common.quiet = true;
  if (!what.machine.empty())
    settings.common.transfer = name_of(kTransferModeNames, TransferMode::put);
  settings.machine = machine_of(what, setting);
  settings.run = run_options(settings.common, TorusOptions(), settings.machine);
  settings.run.threads = 1;  // the cores serve several runs at a time
  return settings;
}

Json run_under_policy(const PolicyRun& what, const PaperSetting& setting) {
  CampaignLists lists;
  lists.policies = {what.policy};
  lists.traffics = {traffic_of(what)};
  lists.toruses = {what.torus};
  lists.bytes = {what.bytes};
  const CampaignSettings settings = campaign_settings_of(what, setting);
  ScheduleFiles none;
  CampaignCase one = make_cases(lists, settings, none).front();
  one.machine = std::make_shared<const Machine>(settings.machine);
  check_memory(one.shape, 0);
  return run_exchange_case(one, settings);
}

/// Expected time and memory. The peers of a sample count as if they were on average as far away as
/// all nodes.
RunEstimate expected_of(const PolicyRun& what, const PaperSetting& setting) {
  const Shape shape = Shape::parse(what.torus);
  const auto everybody = make_traffic("all-to-all", shape, what.bytes, setting.seed);
  return estimate_run(exchange_work(policy_by_name(what.policy), *everybody, shape, what.sample),
                      shape, machine_of(what, setting), RunOptions{.threads = 1}, 0);
}

}  // namespace

std::string PolicyRun::key() const {
  const std::string key =
      fmt::format("{} of {} B on {} under {}", traffic_of(*this), bytes, torus, policy);
  return machine.empty() ? key : fmt::format("{} by put on {}", key, machine);
}

Simulation policy_simulation(const PolicyRun& what, bool is_long) {
  return {what.key(), [what](const PaperSetting& s) { return run_under_policy(what, s); }, is_long,
          [what](const PaperSetting& s) { return expected_of(what, s); }};
}

}  // namespace toroid
