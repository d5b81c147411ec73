// The cases of a campaign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/lab/campaign/shard.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Lists as typed, without repetitions. Every combination is a case.
struct CampaignLists {
  const CLI::App* verb = nullptr;  ///< the verb with the typed options; null: none were typed
  std::vector<std::string> policies = {"all"};
  std::vector<std::string> traffics = {"all-to-all"};
  std::vector<std::string> workloads;  ///< used instead of traffics and bytes
  std::vector<std::string> toruses;
  std::vector<std::uint64_t> bytes = {240};
  bool mesh = false;
  // Further axes. Empty: one value, from the policy or the common option.
  std::vector<std::uint64_t> queues;
  std::vector<std::uint64_t> per_visits;
  std::vector<std::string> routings;
  std::vector<std::string> failed_links;  ///< one link each, or "none"
  bool long_way = false;
  LinkErrorOptions link_errors;  ///< its rates are an axis; "none": links are not checked
  std::vector<std::uint64_t> seeds;
};
void add_campaign_lists(CLI::App& verb, CampaignLists& lists);
/// Notes on standard error that `--seeds 3` is one seed, not three, unless --quiet is given.
void note_single_seed(const CampaignLists& lists, const CommonOptions& common);
/// Whether a policy or an axis affects links; in virtual time always, since packets always cross
/// links there. If puts are requested, the built-in policies of `all` do not count, since those
/// that affect links are dropped from it. Throws BadInput for unknown policies, machines and tori.
bool concerns_links(const CampaignLists& lists, const CommonOptions& common);

/// The keys of a row that may distinguish its case from others, in order. Rows have the keys of
/// axes only if the axis is given.
inline constexpr const char* kCaseKeys[] = {
    "policy",        "traffic",           "torus",      "bytes",
    "machine",       "failed_link",       "link_error", "routing",
    "output_queues", "packets_per_visit", "seed"};

/// One run: everything that decides its result and may differ within the campaign.
struct CampaignCase {
  const Policy* policy;
  std::shared_ptr<const Traffic> traffic;    ///< null: a workload
  std::shared_ptr<const Workload> workload;  ///< null: a traffic
  Shape shape;
  std::string policy_name;     ///< as typed
  std::string policy_label{};  ///< as shown in tables; as typed if two policies share a name
  std::string traffic_name;    ///< as typed; also the name of a workload
  std::uint64_t bytes;         ///< payload per message; 0 for a workload
  std::shared_ptr<const Machine> machine;
  std::uint64_t seed = 1;
  SettingChanges changes{};
  LinkErrors link_errors{};
  bool long_ways = false;        ///< packets that failed links cut off take the long way round
  Json axes = Json::object();    ///< columns of the axes that the user gave
  std::optional<double> load{};  ///< offered load; 1: the bound's rate; empty: one exchange
  std::size_t place = 0;         ///< index among all cases of the campaign, which decides the shard

  /// The first columns of the row.
  Json json() const;
  /// A text that is unique among all cases.
  std::string key() const;
};

/// Whether `policies` has `all`; the user's own policies may be listed besides. Throws BadInput if
/// a built-in policy is listed besides `all`.
bool names_all(const CampaignLists& lists);

/// The cases, ordered by traffic, torus, size and policy, so that rows to compare are adjacent.
/// Throws BadInput if a name is unknown or listed twice, or if a policy or traffic is not possible
/// on a torus. Policies without effect on the fabric or workload are dropped from `all` and refused
/// if listed by name; settings without effect are refused. `files`: schedules that workloads
/// replay.
std::vector<CampaignCase> make_cases(const CampaignLists& lists, const CampaignSettings& settings,
                                     ScheduleFiles& files);

/// Numbers the cases in order and returns those of the shard.
std::vector<CampaignCase> dealt(std::vector<CampaignCase>& cases, const Shard& shard);

/// The settings of a case's run: with the case's machine, seed, policy and changes.
CampaignSettings settings_of(const CampaignCase& one, const CampaignSettings& settings);

}  // namespace toroid
