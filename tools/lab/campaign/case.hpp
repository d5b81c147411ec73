// What a campaign consists of.
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

/// Texts as typed, each once; every combination is a case.
struct CampaignLists {
  const CLI::App* verb = nullptr;  ///< what was typed; null: by no user
  std::vector<std::string> policies = {"all"};
  std::vector<std::string> traffics = {"all-to-all"};
  std::vector<std::string> workloads;  ///< instead of traffics and bytes
  std::vector<std::string> toruses;
  std::vector<std::uint64_t> bytes = {240};
  bool mesh = false;
  // Axes of their own; empty: one value, which is the policy's or the common option's.
  std::vector<std::uint64_t> queues;
  std::vector<std::uint64_t> per_visits;
  std::vector<std::string> routings;
  std::vector<std::string> failed_links;  ///< one link each, or "none"
  bool long_way = false;
  LinkErrorOptions link_errors;  ///< its rates are an axis; "none": links are not checked
  std::vector<std::uint64_t> seeds;
};
void add_campaign_lists(CLI::App& verb, CampaignLists& lists);
/// Whether a policy or an axis says what happens at links; on the model packets always go over
/// them. Of all policies those are left out that do where puts are asked for. Throws BadInput for
/// unknown policies, machines and toruses.
bool concerns_links(const CampaignLists& lists, const CommonOptions& common);

/// The keys of a row that may tell its case from others, in their order; rows have those of axes
/// only where the axis is given.
inline constexpr const char* kCaseKeys[] = {
    "policy",        "traffic",           "torus",      "bytes",
    "machine",       "failed_link",       "link_error", "routing",
    "output_queues", "packets_per_visit", "seed"};

/// One run: everything that decides its result and is not the same in the whole campaign.
struct CampaignCase {
  const Policy* policy;
  std::shared_ptr<const Traffic> traffic;    ///< null: a workload
  std::shared_ptr<const Workload> workload;  ///< null: a traffic
  Shape shape;
  std::string policy_name;     ///< as typed
  std::string policy_label{};  ///< as tables have it: of two that share a name, as typed
  std::string traffic_name;    ///< as typed; a workload's name too
  std::uint64_t bytes;         ///< payload per message; 0 of a workload
  std::shared_ptr<const Machine> machine;
  std::uint64_t seed = 1;
  SettingChanges changes{};
  LinkErrors link_errors{};
  bool long_ways = false;        ///< of packets that failed links cut off
  Json axes = Json::object();    ///< columns of the axes that the user has given
  std::optional<double> load{};  ///< open loop, of the bound's rate; none: one exchange
  std::size_t place = 0;         ///< among the campaign's cases, by which they are dealt to shards

  /// The first columns of its row.
  Json json() const;
  /// A text that no other case has.
  std::string key() const;
};

/// Whether the policies are all there are, and perhaps some of the user's own. Throws BadInput
/// where built-in ones are named besides.
bool names_all(const CampaignLists& lists);

/// By traffic, torus, size, policy: what is to be compared stands together. Throws BadInput where a
/// name is unknown or stands twice, or where a policy or a traffic cannot be had on a torus.
/// Policies that have no effect on the fabric, or on a workload, are left out of `all`, and refused
/// by name; so are settings that nothing reads. `files`: those that workloads replay.
std::vector<CampaignCase> make_cases(const CampaignLists& lists, const CampaignSettings& settings,
                                     ScheduleFiles& files);

/// Numbers the cases in their order, and returns those of the shard.
std::vector<CampaignCase> dealt(std::vector<CampaignCase>& cases, const Shard& shard);

/// The settings of a case's run: with its machine, seed, policy and changes.
CampaignSettings settings_of(const CampaignCase& one, const CampaignSettings& settings);

}  // namespace toroid
