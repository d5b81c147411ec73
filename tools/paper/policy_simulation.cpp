// An exchange under a policy: a case of the lab.
#include "tools/emulation.hpp"
#include "tools/lab/run_case.hpp"
#include "tools/paper/simulation.hpp"

namespace toroid {
namespace {

std::string traffic_of(const PolicyRun& what) {
  return what.sample == 0 ? "all-to-all" : fmt::format("sample:{}", what.sample);
}

LabSettings lab_settings_of(const PaperSetting& setting) {
  LabSettings settings;
  settings.common.seed = setting.seed;
  settings.common.quiet = true;
  settings.machine = setting.machine;
  settings.run = run_options(settings.common, TorusOptions());
  settings.run.threads = 1;  // the cores are for runs at once
  return settings;
}

Json run_under_policy(const PolicyRun& what, const PaperSetting& setting) {
  LabLists lists;
  lists.policies = {what.policy};
  lists.traffics = {traffic_of(what)};
  lists.toruses = {what.torus};
  lists.bytes = {what.bytes};
  const LabCase one = make_cases(lists, setting.seed).front();
  check_memory(one.shape, 0);
  return run_exchange_case(one, lab_settings_of(setting));
}

}  // namespace

std::string PolicyRun::key() const {
  return fmt::format("{} of {} B on {} under {}", traffic_of(*this), bytes, torus, policy);
}

Simulation policy_simulation(const PolicyRun& what, bool is_long) {
  return {what.key(), [what](const PaperSetting& s) { return run_under_policy(what, s); }, is_long};
}

}  // namespace toroid
