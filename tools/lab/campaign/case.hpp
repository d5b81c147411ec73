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
#include "tools/lab/campaign/shard.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/lab/campaign/workload.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Lists as typed, without repetitions. Every combination of their values is a case.
struct CampaignLists {
  const CLI::App* verb = nullptr;  ///< the verb with the typed options; null if none were typed
  std::vector<std::string> policies = {"all"};
  std::vector<std::string> traffics = {"all-to-all"};
  std::vector<std::string> workloads;  ///< used instead of traffics and bytes
  std::vector<std::string> toruses;
  std::vector<std::uint64_t> bytes = {240};
  bool mesh = false;
  // Further axes. An empty list is a single value: that of the policy or of the common option. With
  // empty failed_links all links work.
  std::vector<std::uint64_t> queues;
  std::vector<std::uint64_t> per_visits;
  std::vector<std::string> routings;
  std::vector<std::string> fifo_links;    ///< each is one table
  std::vector<std::string> failed_links;  ///< each is one link or "none"
  bool long_way = false;
  LinkErrorOptions link_errors;  ///< its rates are an axis; "none" means no errors
  std::vector<std::uint64_t> seeds;
};
void add_campaign_lists(CLI::App& verb, CampaignLists& lists);
/// If `--seeds` has a single number such as 3, says on standard error that this is one seed, not
/// three. Says nothing with --quiet.
void note_single_seed(const CampaignLists& lists, const CommonOptions& common);
/// Whether a policy, an axis or a machine's link errors affect links. Always true in virtual time,
/// in which all packets cross links. If puts are requested, the built-in policies in `all` do not
/// count, because those that affect links are dropped from the campaign. Throws BadInput for
/// unknown policies, machines and tori.
bool concerns_links(const CampaignLists& lists, const CommonOptions& common);

/// The keys of a row that may distinguish its case from others, in order. Rows always have the
/// first four. They have another key only if the user gives values for it (several for `machine`).
inline constexpr const char* kCaseKeys[] = {
    "policy",     "traffic", "torus",      "bytes",         "machine",           "failed_link",
    "link_error", "routing", "fifo_links", "output_queues", "packets_per_visit", "seed"};

/// One run of a campaign: everything that decides its result and may differ from run to run.
struct CampaignCase {
  const Policy* policy;
  std::shared_ptr<const Traffic> traffic;    ///< null if the case runs a workload
  std::shared_ptr<const Workload> workload;  ///< null if the case runs a traffic pattern
  Shape shape;
  std::string policy_name;     ///< as typed
  std::string policy_label{};  ///< as shown in tables; as typed if two policies share a name
  std::string traffic_name;    ///< as typed; also the name of a workload
  std::uint64_t bytes;         ///< payload per message; 0 for a workload
  std::shared_ptr<const Machine> machine;
  std::uint64_t seed = 1;
  SettingChanges changes{};
  LinkErrors link_errors{};
  /// Packets go the long way round if failed links cut all their shortest paths.
  bool long_ways = false;
  Json axes = Json::object();  ///< columns of the axes that the user gave
  /// Offered load as a fraction of the bound's rate; empty if the run is one exchange.
  std::optional<double> load{};
  std::size_t place = 0;  ///< index among all cases of the campaign, which decides the shard

  /// The first columns of the row.
  Json json() const;
  /// A text that is unique among all cases.
  std::string key() const;
};

/// Whether `policies` has `all`. The user's own policies may be listed in addition to `all`. Throws
/// BadInput if built-in policies are listed in addition.
bool names_all(const CampaignLists& lists);

/// The cases, ordered by traffic, torus, size and policy, so that rows to compare are adjacent.
/// Throws BadInput if a name is unknown or listed twice, or if a policy or traffic is not possible
/// on a torus. A policy that would act like `random` on this fabric and workload is dropped from
/// `all`, and refused if it is listed by name. Options without effect are refused. `files`:
/// schedules that workloads replay.
std::vector<CampaignCase> make_cases(const CampaignLists& lists, const CampaignSettings& settings,
                                     ScheduleFiles& files);

/// Numbers the cases in order and returns those of the shard.
std::vector<CampaignCase> dealt(std::vector<CampaignCase>& cases, const Shard& shard);

/// The settings of a case's run: those of the campaign, with the machine, seed, policy and changes
/// of the case.
CampaignSettings settings_of(const CampaignCase& one, const CampaignSettings& settings);

}  // namespace toroid
