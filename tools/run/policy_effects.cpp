#include "tools/run/policy_effects.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/packet.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/options/policy_tables.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

std::string where(const RunOptions& run) {
  if (run.fabric == FabricName::sim) return "";
  return fmt::format(" with --fabric {} --route {}", name_of<FabricName>(kFabricNames, run.fabric),
                     name_of<RingRoute>(kRingRouteNames, run.ring.route));
}

/// Whether two policies differ in settings that have an effect.
bool differ(const PolicySettings& a, const PolicySettings& b, const PolicyEffects& effects) {
  const auto queues = [](const PolicySettings& s) {
    return std::tuple(s.output_queues, s.queue_per_direction, s.queue_capacity);
  };
  const auto throttle = [](const PolicySettings& s) {
    return std::tuple(s.throttle.cycles_per_packet, s.throttle.window);
  };
  return (effects.by_link && link_settings(a) != link_settings(b)) ||
         (effects.output_queues && queues(a) != queues(b)) ||
         (effects.packets_per_visit && a.packets_per_visit != b.packets_per_visit) ||
         (effects.by_exchange && throttle(a) != throttle(b));
}

/// Whether the orders of two policies differ. Compares only the first visits of a few nodes.
bool orders_differ(const Policy& a, const Policy& b, const Shape& shape) {
  if (a.changes_order() != b.changes_order()) return true;
  constexpr Rank kNodes = 4;
  constexpr Rank kVisits = 64;
  for (Rank self = 0; self < std::min(shape.size(), kNodes); ++self) {
    const Visitor visitor{shape, self, 1, 0, self};
    const SendOrder first = a.order(visitor);
    const SendOrder second = b.order(visitor);
    if (first.size() != second.size()) return true;
    for (Rank visit = 0; visit < std::min(first.size(), kVisits); ++visit)
      if (first[visit] != second[visit]) return true;
  }
  return false;
}

/// Whether exchanges under the policy differ from those under `random`. Returns true for a policy
/// that does not support this shape, since `random` supports every shape.
bool exchanges_differ(const Policy& policy, const Policy& random, const Shape& shape) {
  try {
    return policy.stages(shape) > 1 || policy.combines() || orders_differ(policy, random, shape);
  } catch (const BadInput&) {
    return true;
  }
}

/// The shapes with release times, for messages: " for torus 2x3". Empty if it is the policy that
/// has them, not some of its tables.
std::string shapes_of_releases(const Policy& policy) {
  const auto* const tables = dynamic_cast<const TablePolicy*>(&policy);
  if (tables == nullptr) return "";
  const std::vector<Shape> shapes = tables->shapes_with_releases();
  return shapes.empty() ? "" : " for " + text_of_toruses(shapes);
}

Json throttle_json(const Throttle& throttle) {
  if (throttle.cycles_per_packet == 0 && throttle.window == 0) return nullptr;
  return {{"cycles_per_packet", throttle.cycles_per_packet}, {"window", throttle.window}};
}

template <typename T>
Json if_read(bool is_read, const T& value) {
  return is_read ? Json(value) : Json(nullptr);
}

}  // namespace

PolicyEffects policy_effects(Sent sent, FabricName fabric, RingRoute route) {
  const bool is_sim = fabric == FabricName::sim;
  RunSetting setting;
  setting.set("sends", name_of<Sent>(kSentNames, sent))
      .set("--fabric", name_of<FabricName>(kFabricNames, fabric))
      .set("--route", name_of<RingRoute>(kRingRouteNames, route));
  const auto reads = [&](std::string_view option) { return has_effect(option, "", setting); };
  const bool by_exchange = reads("--order");
  const bool transfer = reads("--transfer");
  return {.by_exchange = by_exchange,
          .packets_per_visit = reads("--per-visit"),
          .output_queues = true,
          .by_link = reads("--drain"),
          .releases = by_exchange && is_sim,
          .transfer = transfer,
          .puts = transfer && (is_sim || route == RingRoute::direct)};
}

void refuse_releases_without_effect(const Policy& policy, const PolicyEffects& effects,
                                    const std::string& what, const RunOptions& run) {
  if (policy.has_releases() && !effects.releases)
    throw BadInput(fmt::format("policy {}: its release times{} have no effect on {}{}",
                               policy.name(), shapes_of_releases(policy), what, where(run)));
}

void refuse_policy_without_effect(const Policy& policy, const PolicyEffects& effects,
                                  const std::string& what, const RunOptions& run,
                                  const Machine& machine) {
  refuse_releases_without_effect(policy, effects, what, run);
  const Policy& random = policy_by_name("random");
  if (policy.name() == random.name()) return;
  const auto limit = preparation_limit(run, &policy);
  const Shape shape = Shape::parse("4x4x4");  // on this torus no two policies are equal by chance
  const auto traffic = make_traffic("all-to-all", shape, 4 * kPayloadBytes, 1);
  const PolicyCase sample{shape, machine, *traffic};
  const bool exchanges = exchanges_differ(policy, random, shape);
  if (effects.by_exchange && exchanges) return;
  const PolicySettings settings = policy.settings(sample);
  const PolicySettings usual = random.settings(sample);
  if (differ(settings, usual, effects)) return;
  if (!exchanges && !differ(settings, usual, PolicyEffects{}))
    return;  // it is `random` by another name
  throw BadInput(fmt::format("policy {} has no effect on {}{}: it would act like random",
                             policy.name(), what, where(run)));
}

void refuse_impossible_put(const RunOptions& run, const Shape& shape) {
  if (run.node.transfer == TransferMode::put && relays_or_combines(*run.node.policy, shape))
    throw BadInput("--transfer put: " + cannot_be_put(*run.node.policy));
}

Json policy_json(const Policy& policy, const PolicySettings& settings,
                 const PolicyEffects& effects) {
  const std::string_view order =
      settings.order ? name_of<OrderRule>(kOrderRuleNames, *settings.order) : policy.name();
  const bool link = effects.by_link;
  const Json queues =
      settings.queue_per_direction ? Json("per-direction") : Json(settings.output_queues);
  return {{"policy", policy.name()},
          {"order", if_read(effects.by_exchange, order)},
          {"packets_per_visit", if_read(effects.packets_per_visit, settings.packets_per_visit)},
          {"output_queues", if_read(effects.output_queues, queues)},
          {"drain", if_read(link, name_of<DrainRule>(kDrainRuleNames, settings.drain))},
          {"tying", if_read(link, settings.tying.text())},
          {"routing", if_read(link, name_of<RoutingRule>(kRoutingRuleNames, settings.routing))},
          {"tie", if_read(link, name_of<TieRule>(kTieRuleNames, settings.tie.value()))},
          {"throttle", effects.by_exchange ? throttle_json(settings.throttle) : Json(nullptr)}};
}

Json policy_json(const RunOptions& run, const PolicyEffects& effects) {
  return policy_json(*run.node.policy, run.node.settings, effects);
}

RunOptions under_policy(RunOptions run, const Shape& shape, const Machine& machine) {
  const auto traffic = make_traffic("all-to-all", shape, 0, run.node.seed);
  run.node.settings = settings_of(*run.node.policy, run.node.changes, run.node.packets_per_visit,
                                  {shape, machine, *traffic});
  return run;
}

}  // namespace toroid
