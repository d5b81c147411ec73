#include "tools/lab/campaign/case.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/node_and_link_names.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/options/builtin_names.hpp"
#include "tools/options/named_policies.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/policy_file.hpp"
#include "tools/options/policy_options.hpp"
#include "tools/options/route_and_transfer.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

/// Throws BadInput if two values have the same `meaning`, even if they are spelled differently.
template <typename T, typename Meaning = std::identity>
void refuse_repetition(std::string_view option, const std::vector<T>& values,
                       const Meaning& meaning = {}) {
  for (auto at = values.begin(); at != values.end(); ++at)
    if (std::find_if(values.begin(), at,
                     [&](const T& before) { return meaning(before) == meaning(*at); }) != at)
      throw BadInput(fmt::format("{} names {} twice", option, *at));
}

/// Whether this is the name of a user's own policy. `all` does not include these.
bool is_own_policy(std::string_view name) {
  return name.starts_with('@') || names_policy_file(name);
}

std::vector<std::string> names_of_policies(const CampaignLists& lists) {
  if (!names_all(lists)) return lists.policies;
  std::vector<std::string> all;
  for (const Policy* policy : built_in_policies()) all.emplace_back(policy->name());
  std::ranges::copy_if(lists.policies, std::back_inserter(all), is_own_policy);
  return all;
}

}  // namespace

bool names_all(const CampaignLists& lists) {
  if (std::ranges::find(lists.policies, "all") == lists.policies.end()) return false;
  for (const std::string& name : lists.policies)
    if (name != "all" && !is_own_policy(name))
      throw BadInput(fmt::format(
          "--policies has all and {}: besides all, only policies of your own may be listed", name));
  return true;
}

void add_campaign_lists(CLI::App& verb, CampaignLists& lists) {
  lists.verb = &verb;
  begin_group(verb, "Cases");
  add_policy_list(verb, "--policies", lists.policies);
  add_name_list(verb, "--traffic", lists.traffics,
                one_of_with_parameters("traffic", traffic_pattern_names()),
                "traffic patterns, separated by commas");
  add_text_list(verb, "--workload", lists.workloads,
                "workloads to run instead of --traffic: "
                "fft:SIZE[:METHOD[:PLANES[:lines][:taper] or :KIND]] or replay:FILE")
      ->type_name("NAMES");
  add_text_list(verb, "--torus", lists.toruses, "tori or meshes, e.g. 8x8x8,16x16x16m")
      ->type_name("SHAPES")
      ->required();
  add_byte_list(verb, "--bytes", lists.bytes, {.min = 1, .max = std::uint64_t{1} << 32},
                "payload bytes per (source, destination) pair, e.g. 240,1KiB or 1KiB:64KiB:x2");
  verb.add_flag("--mesh", lists.mesh, "make every dimension of every torus a mesh");
  add_count_list(verb, "--queues", lists.queues, {.min = 1, .max = kMostQueues},
                 "output queues per node, the patent's L (default: the policy's)");
  add_count_list(
      verb, "--per-visit", lists.per_visits, {.min = 1, .max = 1u << 24},
      "packets per visit to a peer, the patent's b; default: 1 on sim; on shm 32, or whole "
      "messages if they may move by put");
  add_name_list(verb, "--routing", lists.routings,
                one_of_with_parameters("routing", kRoutingRuleNames),
                "routing rules of packets (default: the policy's)");
  verb.add_option("--fifo-links", lists.fifo_links,
                  "add a case in which this table says which links each injection FIFO serves, "
                  "e.g. X+X-,Y+Y-,any; replaces the policies' tying; repeatable")
      ->type_name("LINKS,...")
      ->allow_extra_args(false);
  verb.add_option("--fail-link", lists.failed_links,
                  "add a case in which this link has failed, e.g. '(0,0,0)X+', or fails at a "
                  "cycle, e.g. '(0,0,0)X+@5000'; none: a case without failed links; repeatable")
      ->type_name("LINK[@CYCLE]")
      ->allow_extra_args(false);
  verb.add_flag("--long-way", lists.long_way,
                "send packets the long way round if failed links cut all their shortest paths");
  verb.add_option("--link-error", lists.link_errors.rates,
                  "add a case with this link error rate, e.g. 1e-4, or 1e-3@(0,0,0)X+; none: a "
                  "case without errors; repeatable")
      ->type_name("RATE[@LINK]")
      ->allow_extra_args(false);
  add_link_fault_options(verb, lists.link_errors);
  add_count_list(
      verb, "--seeds", lists.seeds, {.min = 0, .max = UINT32_MAX},
      "run every case with each of these seeds, e.g. 1:10 or 1,2,3; shows mean and spread");
}

Json CampaignCase::json() const {
  Json row = {{"policy", policy_label},
              {"traffic", traffic_name},
              {"torus", shape.text()},
              {"nodes", shape.nodes()},
              {"bytes", workload ? Json(nullptr) : Json(bytes)}};
  row.update(axes);
  if (shape.ranks().are_shared()) row["ranks"] = shape.size();
  if (load) row["offered"] = *load;
  return row;
}

namespace {

/// Faults, burst and limit of link errors; "" if all are the defaults or links are not checked.
std::string text_of_faults(const LinkErrors& errors) {
  const LinkErrors usual;
  if (!errors.are_checked()) return "";
  if (errors.faults == usual.faults && errors.burst == usual.burst && errors.limit == usual.limit)
    return "";
  return fmt::format(" faults {} burst {} limit {}", errors.faults, errors.burst, errors.limit);
}

}  // namespace

/// Typed text need not be UTF-8, so invalid bytes are replaced.
std::string CampaignCase::key() const {
  return json().dump(-1, ' ', false, Json::error_handler_t::replace) +
         (workload ? workload->fingerprint() : "") + policy_sum(policy_name) +
         text_of_faults(link_errors) + (long_ways ? " long ways" : "");
}

std::vector<CampaignCase> dealt(std::vector<CampaignCase>& cases, const Shard& shard) {
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].place = i;
  std::vector<CampaignCase> mine;
  std::ranges::copy_if(cases, std::back_inserter(mine),
                       [&](const CampaignCase& one) { return shard.has(one.place); });
  return mine;
}

CampaignSettings settings_of(const CampaignCase& one, const CampaignSettings& settings) {
  CampaignSettings mine = settings;
  mine.machine = *one.machine;
  mine.common.seed = one.seed;
  mine.run.node.seed = one.seed;
  mine.run.node.policy = one.policy;
  mine.run.node.changes = one.changes;
  for (RoutingOptions* routing : {&mine.run.sim.routing, &mine.run.ring.routing}) {
    routing->link_errors = one.link_errors;
    routing->link_seed = one.seed;
  }
  mine.run =
      moving_by(transfer_of(mine.common, mine.machine, mine.run.ring.route), std::move(mine.run));
  return mine;
}

namespace {

/// The given links of the campaign as failures; "none" is left out.
FailureList failure_list_of(const CampaignLists& lists, std::vector<std::string> links) {
  std::erase(links, "none");
  return {.links = std::move(links), .nodes = {}, .long_ways = lists.long_way};
}

Shape shape_of(const std::string& torus, const CampaignLists& lists,
               const std::optional<std::string>& failed) {
  const Shape shape = Shape::parse(torus, lists.mesh);
  const bool all_work = !failed || *failed == "none";
  if (all_work && (!lists.long_way || lists.link_errors.limit == 0)) return shape;
  return shape.with_failures(failure_list_of(lists, {failed.value_or("none")}));
}

/// The settings in which the cases of one torus may differ, besides policy and traffic.
struct Axes {
  SettingChanges changes;
  std::uint64_t seed = 0;
  std::shared_ptr<const Machine> machine{};
  std::optional<std::string> failed{};
  std::optional<std::string> link_error{};
  Json columns = Json::object();
};

/// Combines each element of `all` with each value of one more axis. If the axis has no values,
/// `all` stays as it is.
template <typename T, typename Apply>
void cross(std::vector<Axes>& all, const std::vector<T>& values, const Apply& apply) {
  if (values.empty()) return;
  std::vector<Axes> crossed;
  for (const Axes& axes : all)
    for (const T& value : values) apply(crossed.emplace_back(axes), value);
  all = std::move(crossed);
}

std::vector<Axes> axes_of_lists(const CampaignLists& lists, const CampaignSettings& settings) {
  std::vector<Axes> all(1);
  all.front().seed = settings.common.seed;
  cross(all, settings.machines, [&](Axes& axes, const std::string& machine) {
    axes.machine = std::make_shared<const Machine>(load_machine(machine));
    if (settings.machines.size() > 1) axes.columns["machine"] = machine;
  });
  cross(all, lists.failed_links, [](Axes& axes, const std::string& failed) {
    axes.failed = failed;
    axes.columns["failed_link"] = failed;
  });
  cross(all, lists.link_errors.rates, [](Axes& axes, const std::string& rate) {
    axes.link_error = rate;
    axes.columns["link_error"] = rate;
  });
  cross(all, lists.routings, [](Axes& axes, const std::string& routing) {
    axes.changes.routing = parse_choice<RoutingRule>("routing", kRoutingRuleNames, routing);
    axes.columns["routing"] = routing;
  });
  cross(all, lists.fifo_links, [](Axes& axes, const std::string& links) {
    axes.changes.tying = FifoLinks::parse(links);
    axes.columns["fifo_links"] = links;
  });
  cross(all, lists.queues, [](Axes& axes, std::uint64_t queues) {
    axes.changes.output_queues = static_cast<unsigned>(queues);
    axes.columns["output_queues"] = queues;
  });
  cross(all, lists.per_visits, [](Axes& axes, std::uint64_t per_visit) {
    axes.changes.packets_per_visit = static_cast<std::uint32_t>(per_visit);
    axes.columns["packets_per_visit"] = per_visit;
  });
  cross(all, lists.seeds, [](Axes& axes, std::uint64_t seed) {
    axes.seed = seed;
    axes.columns["seed"] = seed;
  });
  return all;
}

void refuse_repetitions(const CampaignLists& lists, const std::vector<std::string>& policies,
                        const CampaignSettings& settings) {
  // Several user policies may have the same name(); their files tell them apart.
  refuse_repetition("--policies", policies, [](const std::string& name) {
    const Policy& policy = policy_named(name);
    return std::pair{is_own_policy(name) ? &policy : nullptr, std::string(policy.name())};
  });
  refuse_repetition("--traffic", lists.traffics);
  refuse_repetition("--workload", lists.workloads);
  refuse_repetition("--torus", lists.toruses,
                    [&](const std::string& text) { return Shape::parse(text, lists.mesh).text(); });
  refuse_repetition("--bytes", lists.bytes);
  refuse_repetition("--queues", lists.queues);
  refuse_repetition("--per-visit", lists.per_visits);
  refuse_repetition("--routing", lists.routings);
  refuse_repetition("--fifo-links", lists.fifo_links);
  refuse_repetition("--fail-link", lists.failed_links);
  refuse_repetition("--link-error", lists.link_errors.rates);
  refuse_repetition("--seeds", lists.seeds);
  refuse_repetition("--machine", settings.machines);
}

/// What sends the packets: a workload, or a traffic pattern if there is no workload.
struct CampaignSender {
  const Workload* workload;
  std::string name;

  Sent sent() const { return workload != nullptr ? workload->sent() : Sent::exchanges; }
  PolicyEffects effects(const CampaignSettings& settings) const {
    return policy_effects(sent(), settings.run.fabric, settings.run.ring.route);
  }
};

/// Notes whether all packets of the campaign have high priority, or some of them.
void note_priority(const CampaignLists& lists, RunSetting& setting) {
  const auto is_priority = [](RoutingRule rule) { return rule == RoutingRule::priority; };
  std::vector<RoutingRule> rules;
  for (const std::string& name : lists.routings)
    rules.push_back(parse_choice<RoutingRule>("routing", kRoutingRuleNames, name));
  if (rules.empty())
    for (const std::string& name : names_of_policies(lists)) {
      PolicyOptions one;
      one.policy = name;
      rules.push_back(routing_of(one));
    }
  if (std::ranges::all_of(rules, is_priority)) setting.set("--routing=priority", "");
  if (std::ranges::any_of(rules, is_priority)) setting.set("high-priority", "");
}

/// The typed options, and further facts on which the effect of an option depends: the route of all
/// runs, what they send, and whether a machine has link errors or a policy throttles.
RunSetting setting_of(const CampaignLists& lists, const CampaignSender& sender,
                      const CampaignSettings& settings) {
  RunSetting setting(*lists.verb, sender.workload != nullptr ? sender.name : "");
  setting.set("sends", name_of<Sent>(kSentNames, sender.sent()))
      .set("--route", name_of<RingRoute>(kRingRouteNames, settings.run.ring.route));
  if (sender.workload != nullptr) setting.set("workload", sender.workload->kind());
  std::vector<Machine> machines;
  std::ranges::transform(settings.machines, std::back_inserter(machines), load_machine);
  if (std::ranges::count(machines, 0u, &Machine::priority_reception_fifos) > 0)
    setting.set("--machine=priority_reception_fifos=0", "");
  const auto has_ranks = [&](const std::string& torus) {
    return Shape::parse(torus, lists.mesh).ranks().are_shared();
  };
  if (std::ranges::any_of(lists.toruses, has_ranks)) setting.set("several-ranks-per-node", "");
  if (std::ranges::count(machines, 1u, &Machine::coprocessor) > 0) setting.set("coprocessor", "");
  const auto errs = [](const Machine& machine) { return machine.link_error_rate > 0; };
  if (std::ranges::any_of(machines, errs)) setting.set("--link-error", "of a machine");
  if (lists.link_errors.limit == 0) setting.unset("--link-error-limit");
  const auto has_throttle = [&](const std::string& name) {
    return throttles(policy_named(name), Shape::parse("4x4x4"), settings.machine);
  };
  const auto changes_keys = [](const std::string& name) { return !changed_keys(name).empty(); };
  const bool changes_machines = std::ranges::any_of(settings.machines, changes_keys);
  if (changes_machines &&  // otherwise policies need not be asked
      std::ranges::any_of(names_of_policies(lists), has_throttle))
    setting.set("throttle", "of a policy");
  if (changes_machines || !lists.fifo_links.empty()) note_priority(lists, setting);
  return setting;
}

void refuse_without_effect(const CampaignLists& lists, const RunSetting& setting,
                           const CampaignSettings& settings) {
  refuse_options_without_effect(*lists.verb, setting);
  for (const std::string& machine : settings.machines)
    refuse_machine_keys_without_effect(machine, setting);
}

bool has_effect(const Policy& policy, const CampaignSender& sender,
                const CampaignSettings& settings) {
  try {
    refuse_policy_without_effect(policy, sender.effects(settings), sender.name, settings.run,
                                 settings.machine);
  } catch (const BadInput&) {
    return false;
  }
  return true;
}

/// Whether the policy accepts a number of output queues other than its own.
bool takes_queues(const Policy& policy, const Machine& machine) {
  const Shape shape = Shape::parse("4x4x4");
  const auto traffic = make_traffic("all-to-all", shape, 0, 1);
  try {
    (void)settings_of(policy, SettingChanges{.output_queues = 2}, 1, {shape, machine, *traffic});
  } catch (const BadInput&) {
    return false;
  }
  return true;
}

/// Whether messages can move by put under the policy. True if puts are not requested.
bool can_be_put(const Policy& policy, const CampaignSettings& settings) {
  if (settings.run.node.transfer != TransferMode::put) return true;
  try {
    return !relays_or_combines(policy, Shape::parse("4x4x4"));
  } catch (const BadInput&) {
    return true;  // the policy cannot run on 4x4x4; each case checks its own shape
  }
}

/// The policies that have an effect on this sender; all policies if the sender takes every policy.
/// From `all`, only policies are kept that accept the given number of queues and, if puts are
/// requested, whose messages can move by put. Throws BadInput if the user names an unsuitable
/// policy.
std::vector<std::string> policies_for(const CampaignSender& sender,
                                      const std::vector<std::string>& policies,
                                      const CampaignLists& lists,
                                      const CampaignSettings& settings) {
  const bool takes_every = sender.workload != nullptr && sender.workload->takes_every_policy();
  const bool is_all = names_all(lists);
  std::vector<std::string> kept;
  for (const std::string& name : policies) {
    const Policy& policy = policy_named(name);
    const bool is_named = !is_all || is_own_policy(name);
    if (takes_every)
      refuse_releases_without_effect(policy, sender.effects(settings), sender.name, settings.run);
    const bool can_go = can_be_put(policy, settings);
    if (is_named && !can_go) throw BadInput("--transfer put: " + cannot_be_put(policy));
    if (is_named && !takes_every)
      refuse_policy_without_effect(policy, sender.effects(settings), sender.name, settings.run,
                                   settings.machine);
    const bool fits = is_named || lists.queues.empty() || takes_queues(policy, settings.machine);
    if (fits && can_go && (takes_every || has_effect(policy, sender, settings)))
      kept.push_back(name);
  }
  return kept;
}

/// The label of each policy in results. A policy from a program is labelled with its own name. So
/// is a policy from a TOML file, if no other policy in `all` has the same name. Any other policy is
/// labelled as typed.
std::map<std::string, std::string> labels_of(const std::vector<std::string>& all) {
  std::map<std::string_view, unsigned> holders;  // number of policies per name
  for (const std::string& policy : all) ++holders[policy_named(policy).name()];
  std::map<std::string, std::string> labels;
  for (const std::string& policy : all) {
    const std::string_view name = policy_named(policy).name();
    const bool is_data = names_policy_data(policy);
    const bool has_own_name = is_data ? holders[name] == 1 : policy.starts_with('@');
    labels[policy] = has_own_name ? std::string(name) : policy;
  }
  return labels;
}

/// The link errors of a case, from its machine and its value on the axis. Throws BadInput if they
/// have no effect or belong to a link that the shape lacks.
LinkErrors link_errors_of(const CampaignLists& lists, const Axes& axes, const Shape& shape,
                          const CampaignSettings& settings) {
  if (axes.link_error == "none") return {};
  LinkErrorOptions options = lists.link_errors;
  options.rates.clear();
  if (axes.link_error) options.rates.push_back(*axes.link_error);
  const LinkErrors errors = options.errors(*axes.machine);
  refuse_link_errors_without_effect(errors, settings.run.fabric, settings.run.ring.route);
  for (const LinkErrors::Rate& rate : errors.rates)
    if (!rate.link.empty()) (void)parse_link_name(shape, rate.link);
  return errors;
}

}  // namespace

void note_single_seed(const CampaignLists& lists, const CommonOptions& common) {
  if (common.quiet || lists.seeds.size() != 1 || lists.seeds.front() < 2) return;
  fmt::print(stderr, "--seeds {0} is the single seed {0}; for {0} seeds write 1:{0}\n",
             lists.seeds.front());
}

bool concerns_links(const CampaignLists& lists, const CommonOptions& common) {
  if (common.fabric == name_of(kFabricNames, FabricName::sim)) return true;
  if (!lists.routings.empty() || !lists.fifo_links.empty() || !lists.failed_links.empty() ||
      !lists.link_errors.rates.empty())
    return true;
  std::vector<Shape> shapes;
  for (const std::string& torus : lists.toruses) shapes.push_back(Shape::parse(torus, lists.mesh));
  std::vector<Machine> machines;
  for (const std::string& name : items_of(common.machine, "--machine"))
    machines.push_back(load_machine(name));
  if (std::ranges::any_of(machines, [](const Machine& m) { return m.link_error_rate > 0; }))
    return true;
  const bool puts = common.transfer == name_of(kTransferModeNames, TransferMode::put);
  const bool leaves_out = names_all(lists) && puts;
  for (const std::string& name : names_of_policies(lists)) {
    if (leaves_out && !is_own_policy(name)) continue;
    for (const Machine& machine : machines)
      for (const Shape& shape : shapes)
        if (concerns_links(policy_named(name), shape, machine)) return true;
  }
  return false;
}

std::vector<CampaignCase> make_cases(const CampaignLists& lists, const CampaignSettings& settings,
                                     ScheduleFiles& files) {
  const std::vector<std::string> policies = names_of_policies(lists);
  refuse_repetitions(lists, policies, settings);
  const std::map<std::string, std::string> labels = labels_of(policies);
  std::vector<CampaignCase> cases;
  std::map<std::string, std::vector<std::string>> known;  // by the sender's name
  const auto policies_of = [&](const CampaignSender& sender) -> const std::vector<std::string>& {
    const auto [at, is_new] = known.try_emplace(sender.name);
    if (!is_new) return at->second;
    if (lists.verb != nullptr)
      refuse_without_effect(lists, setting_of(lists, sender, settings), settings);
    return at->second = policies_for(sender, policies, lists, settings);
  };
  const auto add = [&](const CampaignCase& like) {
    const CampaignSender sender{like.workload.get(),
                                like.workload ? like.traffic_name : "the campaign"};
    for (const std::string& policy : policies_of(sender)) {
      CampaignCase& one = cases.emplace_back(like);
      one.policy = &policy_named(policy);
      one.policy_name = policy.starts_with('@') ? one.policy->name() : policy;
      one.policy_label = labels.at(policy);
    }
  };
  const std::vector<Axes> all_axes = axes_of_lists(lists, settings);
  const auto like = [&](const std::string& name, const std::string& torus, const Axes& axes) {
    const Shape shape = shape_of(torus, lists, axes.failed);
    return CampaignCase{.policy = nullptr,
                        .traffic = nullptr,
                        .workload = nullptr,
                        .shape = shape,
                        .policy_name = {},
                        .traffic_name = name,
                        .bytes = 0,
                        .machine = axes.machine,
                        .seed = axes.seed,
                        .changes = axes.changes,
                        .link_errors = link_errors_of(lists, axes, shape, settings),
                        .long_ways = lists.long_way,
                        .axes = axes.columns};
  };
  for (const std::string& workload : lists.workloads)
    for (const std::string& torus : lists.toruses)
      for (const Axes& axes : all_axes) {
        CampaignCase one = like(workload, torus, axes);
        one.workload = make_workload(workload, one.shape, settings, files);
        add(one);
      }
  if (!lists.workloads.empty()) return cases;
  for (const std::string& traffic : lists.traffics)
    for (const std::string& torus : lists.toruses)
      for (const std::uint64_t bytes : lists.bytes) {
        // Cases with equal failures and seeds share shape and traffic, and so the bounds.
        std::map<std::pair<std::optional<std::string>, std::uint64_t>, CampaignCase> made;
        for (const Axes& axes : all_axes) {
          CampaignCase one = like(traffic, torus, axes);
          one.bytes = bytes;
          const auto [same, is_new] = made.try_emplace({axes.failed, axes.seed}, one);
          if (is_new) {
            const std::shared_ptr drawn = make_traffic(traffic, one.shape, bytes, axes.seed);
            drawn->keep_bounds();
            same->second.traffic = drawn;
          }
          one.shape = same->second.shape;
          one.traffic = same->second.traffic;
          add(one);
        }
      }
  return cases;
}

}  // namespace toroid
