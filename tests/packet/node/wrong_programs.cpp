#include "tests/packet/node/wrong_programs.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::testing {

void on_every_fabric(const char* torus, const NodeOptions& nodes, const MakeProgram& program,
                     const std::function<void(const std::string&)>& expect) {
  const Shape shape = Shape::parse(torus);
  {
    SCOPED_TRACE("sim");
    SimOptions model;
    model.cycles = 1'000'000;
    SimMachine sim(shape, nodes, model);
    expect(end_of(sim, program));
  }
  for (const RingRoute route : kRoutes) {
    SCOPED_TRACE(kRingRouteNames[static_cast<unsigned>(route)]);
    RingOptions options = routed(route);
    options.stall = std::chrono::milliseconds(400);  // long enough for a busy machine
    options.limit = 3 * options.stall;
    RingMachine rings(shape, 2, nodes, options);
    expect(end_of(rings, program));
  }
}

}  // namespace toroid::testing
