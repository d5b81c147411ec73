// A machine of rings and worker threads with a Node at every rank.
#pragma once

#include <fmt/core.h>
#include <cstddef>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/scale.hpp"

namespace toroid::testing {

/// This computer's topology, read only once, because reading it takes as long as many of the runs.
inline const HostTopology& this_machine() {
  static const HostTopology topology = HostTopology::of_this_machine();
  return topology;
}

/// `threads` unbound workers on this computer.
inline Placement workers(const Shape& shape, unsigned threads) {
  return place(this_machine(), shape, threads, Binding::none);
}

inline std::unique_ptr<Fabric> ring_fabric(const Shape& shape, unsigned threads,
                                           RingOptions options = {}, const Machine& machine = {}) {
  return make_ring_fabric(shape, machine, workers(shape, threads), std::move(options));
}

class RingMachine final : public EmulatedMachine {
 public:
  RingMachine(const Shape& shape, unsigned threads, NodeOptions node = {}, RingOptions ring = {},
              const Machine& machine = {}, const Decorate& decorate = {})
      : EmulatedMachine(ring_fabric(shape, threads, std::move(ring), machine), node, decorate) {}
};

inline RingOptions routed(RingRoute route) {
  RingOptions options;
  options.route = route;
  return options;
}

inline constexpr std::array kRoutes = {RingRoute::torus, RingRoute::direct};
inline constexpr std::array kRoutings = {RoutingRule::adaptive, RoutingRule::deterministic,
                                         RoutingRule::random_order};
/// Numbers of workers: fewer than most computers have cores, and many more.
inline constexpr std::array kWorkers = {1u, 2u, 3u, 8u};
inline const std::vector<const char*> kRingShapes = {
    "1",     "2",     "7",     "8m",     "3x3",     "5x2m",       "1x6x1",
    "2x3x4", "4x4x4", "4mx4m", "3x3mx2", "2x2x2x2", "2x1x2x2x1x2"};

/// A way to run the same program on rings.
struct RingCase {
  RingRoute route;
  RoutingRule routing;
  unsigned threads;
  std::uint64_t seed;

  /// In every other case, everything that can move by put does, in puts of three packets.
  bool puts() const { return seed % 2 == 0; }
  NodeOptions node() const {
    return {.seed = seed,
            .settings = {.routing = routing},
            .packets_per_visit = puts() ? 3u : 1u,
            .transfer = puts() ? TransferMode::put : TransferMode::automatic};
  }
  std::string text() const {
    return fmt::format("{} {} {} workers seed {}{}", kRingRouteNames[static_cast<unsigned>(route)],
                       kRoutingRuleNames[static_cast<unsigned>(routing)], threads, seed,
                       puts() ? " by put" : "");
  }
};

/// Every route with every routing and number of workers, each case with its own seed.
inline std::vector<RingCase> ring_cases() {
  std::vector<RingCase> cases;
  for (const RingRoute route : kRoutes)
    for (const RoutingRule routing : kRoutings)
      for (const unsigned threads : kWorkers)
        cases.push_back({route, routing, threads, cases.size() + 1});
  return cases;
}

/// For a test that has `values` values of its own, such as shapes: the ring cases to run with each
/// value. In the thorough set each value gets all ring cases.
inline std::vector<std::vector<RingCase>> ring_cases_beside(std::size_t values) {
  if (is_thorough()) return std::vector<std::vector<RingCase>>(values, ring_cases());
  std::vector<std::vector<RingCase>> cases(values);
  std::uint64_t seed = 0;
  for (const auto& row : combinations({values, kRoutes.size(), kRoutings.size(), kWorkers.size()}))
    cases[row[0]].push_back({kRoutes[row[1]], kRoutings[row[2]], kWorkers[row[3]], ++seed});
  return cases;
}

}  // namespace toroid::testing
