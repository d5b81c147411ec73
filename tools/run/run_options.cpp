#include "tools/run/run_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "router/ofi/message_or_write.hpp"
#include "router/placement/cpu_quota.hpp"
#include "router/placement/host_topology.hpp"
#include "router/rules/routing.hpp"
#include "tools/options/library_policy.hpp"
#include "tools/options/route_and_transfer.hpp"
#include "tools/run/provider_check.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {

RunOptions moving_by(TransferMode transfer, RunOptions run) {
  run.node.transfer = transfer;
  run.sim.dma = run.fabric == FabricName::sim && transfer != TransferMode::packets;
  return run;
}

namespace {

std::uint32_t usual_packets_per_visit(FabricName fabric, TransferMode transfer) {
  if (fabric == FabricName::sim) return kModelledPacketsPerVisit;
  return transfer == TransferMode::packets ? kCarriedPacketsPerVisit : kPutPacketsPerVisit;
}

NodeOptions node_options(const CommonOptions& common, const TorusOptions& torus, FabricName fabric,
                         TransferMode transfer) {
  return {.seed = common.seed,
          .policy = &torus.policy.named(),
          .changes = torus.policy.changes(),
          .packets_per_visit = usual_packets_per_visit(fabric, transfer)};
}

FrameOptions frames_of(const CommonOptions& common) {
  FrameOptions frames{.provider = common.provider, .unsafe_provider = common.unsafe_provider};
  if (!common.frames.empty())
    frames.way = parse_choice<FrameWay>("frames", kFrameWayNames, common.frames);
  return frames;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(std::llround(seconds * 1e3));
}

}  // namespace

RunOptions run_options(const CommonOptions& common, const TorusOptions& torus,
                       const Machine& machine) {
  const RoutingOptions routing{.transit_first = !torus.no_transit_first,
                               .bubble_rule = !torus.no_bubble,
                               .link_errors = torus.link_errors.errors(machine),
                               .link_seed = common.seed};
  const std::chrono::milliseconds stall = milliseconds(common.stall);
  const std::chrono::milliseconds limit = milliseconds(common.limit);
  const auto fabric = parse_choice<FabricName>("fabric", kFabricNames, common.fabric);
  if (!common.provider.empty()) refuse_unknown_provider(common.provider);
  refuse_unsafe_provider(common.provider, common.unsafe_provider);
  const RingRoute route = route_of(common, concerns_links(torus, machine));
  refuse_link_errors_without_effect(routing.link_errors, fabric, route);
  const TransferMode transfer = transfer_of(common, machine, route);
  RunOptions run{
      .fabric = fabric,
      .node = node_options(common, torus, fabric, transfer),
      .sim = {.routing = routing, .progress = {}, .limit = limit, .cycles = common.limit_cycles},
      .ring = {.routing = routing, .route = route, .stall = stall, .limit = limit, .watch = {}},
      .threads = common.threads,
      .binding = binding_of(common),
      .processes = fabric == FabricName::ofi ? Processes::join() : Processes(),
      .frames = frames_of(common)};
  return moving_by(transfer, std::move(run));
}

std::unique_ptr<termination::TimeLimit> preparation_limit(const RunOptions& run,
                                                          const Policy* policy) {
  // Only code of a user can fail to return. All other preparation ends, and is not counted.
  if (dynamic_cast<const LibraryPolicy*>(policy) == nullptr) return nullptr;
  const std::string name(policy->name());
  return std::make_unique<termination::TimeLimit>(
      run.ring.limit,
      [name](const std::string& when) {
        return fmt::format("the run did not begin {}: it is being prepared under policy {}", when,
                           name);
      },
      [](const std::string&) {});
}

unsigned sim_threads(const Shape& shape, const RunOptions& options) {
  constexpr Rank kWorthwhile = 2048;  // nodes per thread: enough work to outweigh synchronisation
  if (options.threads != 0) return options.threads;
  const Rank most = shape.size() / kWorthwhile;
  if (most < 2) return 1;
  const Placement cores =
      place(HostTopology::of_this_machine(), shape, 0, Binding::none, cpu_quota());
  return std::min(most, static_cast<Rank>(cores.workers.size()));
}

Placement placement_of(const Shape& shape, const RunOptions& options) {
  HostTopology topology = HostTopology::of_this_machine();
  if (options.fabric != FabricName::ofi)
    return place(topology, shape, options.threads, options.binding, cpu_quota());
  return place_beside_others(options.processes, std::move(topology), shape, options.threads,
                             options.binding);
}

}  // namespace toroid
