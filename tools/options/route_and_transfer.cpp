#include "tools/options/route_and_transfer.hpp"

#include <fmt/core.h>

#include <string>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "packet/policies/policies.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

constexpr std::string_view kAuto = kRouteNames.back();

bool concerns_links(const SettingChanges& changes) {
  return changes.drain || changes.tying || changes.routing || changes.tie;
}

bool is_on(const CommonOptions& common, FabricName fabric) {
  return common.fabric == name_of(kFabricNames, fabric);
}

/// The message for --transfer put if the fabric, the route or the machine does not allow puts.
std::string why_no_put(const CommonOptions& common, const Machine& machine) {
  if (is_on(common, FabricName::sim))
    return fmt::format(
        "--transfer put on sim needs a DMA engine, which machine {} lacks; use bgp, bgq, "
        "tpu-v4-like or a machine file with dma_inject_cycles of at least 1",
        machine.name);
  if (common.route == kAuto)
    return "--transfer put needs the direct route, but drain, tying, routing, tie, failures and "
           "router rules need --route torus";
  return "--transfer put needs --route direct; with --route torus everything moves in packets";
}

/// Returns compare(a, b) for the settings of the policy and of `random`, both for the all-to-all.
/// If the policy does not support this torus, returns true; the run will report the reason.
template <typename Compare>
bool compare_with_random(const Policy& policy, const Shape& shape, const Machine& machine,
                         const Compare& compare) {
  const auto traffic = make_traffic("all-to-all", shape, kPayloadBytes, 1);
  const PolicyCase on{shape, machine, *traffic};
  try {
    return compare(policy.settings(on), policy_by_name("random").settings(on));
  } catch (const BadInput&) {
    return true;
  }
}

}  // namespace

bool concerns_links(const Policy& policy, const Shape& shape, const Machine& machine) {
  return compare_with_random(policy, shape, machine, [](const auto& settings, const auto& random) {
    return link_settings(settings) != link_settings(random);
  });
}

bool throttles(const Policy& policy, const Shape& shape, const Machine& machine) {
  return compare_with_random(policy, shape, machine, [](const auto& settings, const auto&) {
    return settings.throttle.cycles_per_packet > 0;
  });
}

bool concerns_links(const TorusOptions& options, const Machine& machine) {
  if (options.no_transit_first || options.no_bubble || !options.failures.links.empty() ||
      !options.failures.nodes.empty() || !options.link_errors.rates.empty() ||
      machine.link_error_rate > 0 || concerns_links(options.policy.changes()))
    return true;
  if (options.torus.empty()) return false;  // a campaign: each case has its own torus
  return concerns_links(options.policy.named(), Shape::parse(options.torus, options.mesh), machine);
}

RoutingRule routing_of(const PolicyOptions& options) {
  const Shape shape = Shape::parse("2");
  const auto traffic = make_traffic("all-to-all", shape, 0, 0);
  const PolicySettings of_policy = options.named().settings({shape, Machine{}, *traffic});
  return options.changes().applied_to(of_policy).routing;
}

RingRoute route_of(const CommonOptions& common, bool concerns_links) {
  if (common.route == kAuto) return concerns_links ? RingRoute::torus : RingRoute::direct;
  return parse_choice<RingRoute>("route", kRingRouteNames, common.route);
}

TransferMode transfer_of(const CommonOptions& common, const Machine& machine, RingRoute route) {
  const bool is_modelled = is_on(common, FabricName::sim);
  const bool can_put = is_modelled ? machine.has_dma_engine() : route == RingRoute::direct;
  if (common.transfer.empty())
    return can_put && !is_modelled ? TransferMode::automatic : TransferMode::packets;
  const auto mode = parse_choice<TransferMode>("transfer", kTransferModeNames, common.transfer);
  if (mode == TransferMode::put && !can_put) throw BadInput(why_no_put(common, machine));
  return can_put ? mode : TransferMode::packets;
}

}  // namespace toroid
