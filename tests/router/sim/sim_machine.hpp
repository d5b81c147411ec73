// A simulated machine with a Node at every rank.
#pragma once

#include <utility>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid::testing {

class SimMachine final : public EmulatedMachine {
 public:
  explicit SimMachine(const Shape& shape, NodeOptions node = {}, SimOptions sim = {},
                      const Machine& machine = {})
      : EmulatedMachine(make_sim_fabric(shape, machine, std::move(sim)), node) {}
};

}  // namespace toroid::testing
