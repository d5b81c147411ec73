#include "tools/run/run_setup.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <string_view>
#include <utility>

#include "hal/route.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/options/route_and_transfer.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {

RunSetting setting_of(const CLI::App& verb, const Sender& sender, const CommonOptions& common,
                      const TorusOptions& torus, const Machine& machine) {
  const RingRoute route = route_of(common, concerns_links(torus, machine));
  const Shape shape = Shape::parse(torus.torus, torus.mesh);
  RunSetting setting(verb, sender.what);
  setting.set("sends", name_of<Sent>(kSentNames, sender.sent))
      .set("--route", name_of<RingRoute>(kRingRouteNames, route));
  const SettingChanges changes = torus.policy.changes();
  if (changes.tie == TieRule::both || changes.tying || changes.routing ||
      !changed_keys(common.machine).empty()) {  // nothing else depends on the routing
    const RoutingRule routing = routing_of(torus.policy);
    if (changes.tie == TieRule::both)
      setting.set("--routing", name_of<RoutingRule>(kRoutingRuleNames, routing));
    if (routing == RoutingRule::priority) setting.set("--routing=priority", "");
  }
  if (machine.priority_reception_fifos == 0)
    setting.set("--machine=priority_reception_fifos=0", "");
  if (machine.link_error_rate > 0) setting.set("--link-error", "of the machine");
  if (torus.link_errors.limit == 0) setting.unset("--link-error-limit");
  if (!changed_keys(common.machine).empty() && throttles(torus.policy.named(), shape, machine))
    setting.set("throttle", "of the policy");
  if (shape.is_twisted()) setting.set("twist", torus.torus);
  if (shape.ranks().are_shared()) setting.set("several-ranks-per-node", "");
  if (machine.coprocessor != 0) setting.set("coprocessor", "");
  return setting;
}

void refuse_machine_keys_without_effect(const std::string& machine, const RunSetting& setting) {
  for (const std::string_view key : changed_keys(machine))
    require_effect(fmt::format("--machine={}", key), setting.get("verb"), setting);
}

RunSetup set_up(const CLI::App& verb, const RunSetting& setting, const Sender& sender,
                const CommonOptions& common, const TorusOptions& torus, const Machine& machine) {
  refuse_options_without_effect(verb, setting);
  refuse_machine_keys_without_effect(common.machine, setting);
  const Shape shape = shape_of(torus);
  RunOptions run = run_options(common, torus, machine);
  const PolicyEffects effects = policy_effects(sender.sent, run.fabric, run.ring.route);
  if (sender.takes_every_policy)
    refuse_releases_without_effect(*run.node.policy, effects, sender.what, run);
  else
    refuse_policy_without_effect(*run.node.policy, effects, sender.what, run, machine);
  return {shape, machine, std::move(run), effects};
}

RunSetup set_up(const CLI::App& verb, const Sender& sender, const CommonOptions& common,
                const TorusOptions& torus) {
  const Machine machine = load_machine(common.machine);
  return set_up(verb, setting_of(verb, sender, common, torus, machine), sender, common, torus,
                machine);
}

void check_paths(const Shape& shape, RoutingRule routing, const Failures::PeersOf& peers_of) {
  if (shape.failures() != nullptr) shape.failures()->check_pairs(is_dynamic(routing), peers_of);
}

}  // namespace toroid
