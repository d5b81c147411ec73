// Runs a test on the model and on rings.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::testing {

/// Calls run(machine) for the model and for rings on each of the two routes.
inline void on_every_machine(const char* torus, const std::function<void(EmulatedMachine&)>& run) {
  const Shape shape = Shape::parse(torus);
  SimMachine sim(shape);
  run(sim);
  for (const RingRoute route : kRoutes)
    for (const unsigned workers : {1u, 2u, 3u}) {
      RingMachine rings(shape, workers, {.seed = workers}, routed(route));
      run(rings);
    }
}

inline constexpr std::size_t kMachines = 1 + kRoutes.size();

/// Calls run(machine) for the model if `number` is 0, and for rings of one of the two routes if it
/// is 1 or 2. Nodes and FIFOs have the settings in `nodes`. They may have any tie rule, because
/// headers may have both hints of a dimension.
inline void on_machine(std::size_t number, const Shape& shape, const NodeOptions& nodes,
                       const std::function<void(EmulatedMachine&)>& run) {
  Machine hardware;
  hardware.both_hints = 1;
  if (number == 0) {
    SimOptions model;
    model.tying = nodes.settings.tying;
    SimMachine sim(shape, nodes, model, hardware);
    return run(sim);
  }
  const RingRoute route = kRoutes[number - 1];
  SCOPED_TRACE(kRingRouteNames[static_cast<unsigned>(route)]);
  RingOptions options = routed(route);
  options.tying = nodes.settings.tying;
  RingMachine rings(shape, 2, nodes, options, hardware);
  run(rings);
}

/// Calls run(machine) for the model and for rings on each of the two routes. Nodes and FIFOs have
/// the settings in `nodes`.
inline void on_every_machine(const Shape& shape, const NodeOptions& nodes,
                             const std::function<void(EmulatedMachine&)>& run) {
  for (std::size_t number = 0; number < kMachines; ++number) on_machine(number, shape, nodes, run);
}

}  // namespace toroid::testing
