// A test case of the model: an all-to-all exchange on one machine, and the counters of its run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/everything.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::testing {

struct ModelCase {
  std::string shape;
  std::uint64_t bytes = 500;  ///< per pair
  NodeOptions node = {};
  SimOptions sim = {};
  Machine machine = {};
};

inline ModelCase with_threads(ModelCase c, unsigned threads) {
  c.sim.threads = threads;
  return c;
}

inline ModelCase by_the_general_model(ModelCase c) {
  c.sim.routing.general = true;
  return c;
}

/// Returns read(machine) after the exchange has run.
template <typename Read>
auto after_run(const ModelCase& c, const Read& read) {
  SimMachine machine(Shape::parse(c.shape), c.node, c.sim, c.machine);
  MachineExchange exchange(machine, c.bytes);
  exchange.run();
  return read(machine);
}

/// The run's counters, or its error message.
inline std::pair<Everything, std::string> outcome(const ModelCase& c) {
  try {
    return {after_run(c, everything), ""};
  } catch (const RunFailed& failed) {
    return {{}, failed.what()};
  }
}

}  // namespace toroid::testing
