#include "tools/lab/policy_check/runs.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/options/common_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kShort = 240;  // bytes: one packet
constexpr std::uint64_t kLong = 480;   // bytes: two packets

CampaignSettings settings_on(std::string_view fabric, std::uint64_t seed) {
  CommonOptions common;
  common.fabric = fabric;
  common.seed = seed;
  common.quiet = true;
  return campaign_settings(common, true);
}

CampaignCase case_on(const Shape& shape, std::string name, std::uint64_t bytes,
                     const CampaignSettings& settings) {
  return {.policy = nullptr,
          .traffic = nullptr,
          .workload = nullptr,
          .shape = shape,
          .policy_name = {},
          .traffic_name = std::move(name),
          .bytes = bytes,
          .machine = std::make_shared<const Machine>(settings.machine),
          .seed = settings.common.seed};
}

/// Whether the patent's policy accepts the case. A case that it refuses is not run, because the
/// checked policy may refuse it too.
bool is_usual(CampaignCase one, const CampaignSettings& settings) {
  one.policy = &policy_by_name("random");
  try {
    refuse_unfit(one, settings, false);
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

/// The kind of breakage that the message of a failed run indicates.
std::string kind_of(std::string_view what) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKinds = {
      {{"leaves out", "never sent"},
       {"visits itself", "sent to itself"},
       {"twice", "doubled"},
       {"lost", "lost"},
       {"relay()", "relay leads nowhere"},
       {"does not exist", "out of range"}}};
  for (const auto& [words, kind] : kKinds)
    if (what.find(words) != std::string_view::npos) return std::string(kind);
  return "fails";
}

/// The name of a case, as printed.
std::string text_of(const CampaignCase& one, const CampaignSettings& settings) {
  return fmt::format("{}, {}{}", one.traffic_name, one.shape.text(),
                     settings.is_virtual() ? "" : ", fabric shm");
}

/// Runs a case, reports what it breaks, and returns its row. Returns null if the run failed.
Json run_checked(const CampaignCase& one, const CampaignSettings& settings, ProbeReport& report) {
  try {
    return run_exchange_case(one, settings);
  } catch (const RunFailed& failure) {
    report.breaks({kind_of(failure.what()), "", failure.what()});
  } catch (const BadInput& refusal) {
    if (one.workload == nullptr)
      report.breaks({"bad settings", "", refusal.what()});
    else  // not every workload takes every policy: combined messages need whole planes
      report.value("refuses " + text_of(one, settings), refusal.what());
  }
  return nullptr;
}

/// Runs a case on one and on two threads, which must give the same result.
void run_twice(const CampaignCase& one, CampaignSettings settings, ProbeReport& report) {
  const Json first = run_checked(one, settings, report);
  settings.run.threads = 2;
  if (first.is_null()) return;
  const Json second = run_checked(one, settings, report);
  if (!second.is_null() && first.value("result_hash", "") != second.value("result_hash", ""))
    report.breaks({"not thread-safe", "", "a run on two threads gives a different result"});
}

/// Whether the policy takes this machine; it may refuse it by BadInput.
bool takes(const Policy& policy, const Shape& shape, std::uint64_t seed) {
  const auto traffic = make_traffic("all-to-all", shape, kLong, 1);
  const Machine machine;
  try {
    (void)policy.settings({shape, machine, *traffic});
    (void)policy.stages(shape);
    (void)policy.order({shape, 0, seed, 0, 0});
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

/// Adds the traffic to the case. Returns false if the traffic is not possible on the machine.
bool add_traffic(CampaignCase& one, std::string_view name, std::uint64_t bytes) {
  try {
    one.traffic = make_traffic(name, one.shape, bytes, one.seed);
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

void run_traffic(const Policy& policy, const CheckShape& on, std::string_view name,
                 const CampaignSettings& settings, ProbeReport& report) {
  CampaignCase one = case_on(on.shape, std::string(name), kShort, settings);
  if (!add_traffic(one, name, kShort) || !is_usual(one, settings)) return;
  report.begin(fmt::format("{}, {}", name, on.name));
  one.policy = &policy;
  run_twice(one, settings, report);
}

constexpr const char* kReplay = "replay:check.csv";

/// Every node sends two packets to its successor, then two to the opposite node.
ScheduleFiles messages_of(const Shape& shape) {
  std::string text = "time,src,dst,bytes\n";
  const Rank nodes = shape.size();
  for (const auto& [time, offset] : {std::pair(0.0, Rank{1}), std::pair(1e-6, nodes / 2)})
    for (Rank from = 0; from < nodes; ++from)
      text += fmt::format("{},{},{},{}\n", time, from, (from + offset) % nodes, kLong);
  ScheduleFiles files;
  files.add("check.csv", std::move(text));
  return files;
}

/// Adds the workload to the case. Returns false if the workload is not possible on the machine or
/// under the patent's policy.
bool add_workload(CampaignCase& one, const std::string& text, const CampaignSettings& settings) {
  ScheduleFiles files = messages_of(one.shape);
  try {
    one.workload = make_workload(text, one.shape, settings, files);
    return is_usual(one, settings);
  } catch (const BadInput&) {
    return false;
  }
}

void run_workload(const Policy& policy, const Shape& shape, const std::string& text,
                  const CampaignSettings& settings, ProbeReport& report) {
  CampaignCase one = case_on(shape, text, 0, settings);
  if (!takes(policy, shape, one.seed) || !add_workload(one, text, settings)) return;
  report.begin(text_of(one, settings));
  one.policy = &policy;
  (void)run_checked(one, settings, report);
}

}  // namespace

void check_traffics(const CheckedPolicy& checked, ProbeReport& report) {
  const CampaignSettings settings = settings_on("sim", checked.seed);
  for (const CheckShape& on : checked.machines.traffics) {
    if (!takes(checked.policy, on.shape, checked.seed)) continue;
    for (const TrafficInfo& traffic : traffic_names())
      run_traffic(checked.policy, on, traffic.name, settings, report);
  }
}

void check_workloads(const CheckedPolicy& checked, ProbeReport& report) {
  const CampaignSettings settings = settings_on("sim", checked.seed);
  for (const Shape& shape : checked.machines.transforms)
    for (const char* method : {"volumetric", "slab", "orbital", "rows"})
      run_workload(checked.policy, shape, fmt::format("fft:8:{}", method), settings, report);
  for (const Shape& shape : checked.machines.replays)
    run_workload(checked.policy, shape, kReplay, settings, report);
}

void check_rings(const CheckedPolicy& checked, ProbeReport& report) {
  const CampaignSettings settings = settings_on("shm", checked.seed);
  for (const Shape& shape : checked.machines.rings) {
    if (!takes(checked.policy, shape, checked.seed)) continue;
    CampaignCase one = case_on(shape, "all-to-all", kLong, settings);
    if (!add_traffic(one, "all-to-all", kLong) || !is_usual(one, settings)) continue;
    report.begin(text_of(one, settings));
    one.policy = &checked.policy;
    (void)run_checked(one, settings, report);
  }
  for (const Shape& shape : checked.machines.ring_transforms)
    run_workload(checked.policy, shape, "fft:8:volumetric", settings, report);
}

void measure_distance(const CheckedPolicy& checked, ProbeReport& report) {
  const CampaignSettings settings = settings_on("sim", checked.seed);
  for (const Shape& shape : checked.machines.distances) {
    report.begin(shape.text());
    CampaignCase one = case_on(shape, "all-to-all", kLong, settings);
    if (!takes(checked.policy, shape, checked.seed) || !add_traffic(one, "all-to-all", kLong))
      continue;
    one.policy = &checked.policy;
    const Json row = run_checked(one, settings, report);
    if (row.contains("percent_of_bound"))
      report.value(shape.text(), fmt::format("{:.2f}", row["percent_of_bound"].get<double>()));
  }
}

}  // namespace toroid
