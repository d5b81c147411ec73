#include "fft/orbital/stage_bound.hpp"

#include <algorithm>

#include "fft/orbital/plan.hpp"
#include "fft/plan/cost_model.hpp"
#include "hal/bounds.hpp"
#include "hal/machine.hpp"

namespace toroid::fft {

OrbitalStageBound bound_of_stage(const OrbitalPlan& plan, unsigned stage, const Machine& machine) {
  const unsigned steps = plan.extent();
  OrbitalStageBound bound{steps * product_cycles(machine, plan.multiply_adds(stage)), 0};
  if (steps == 1) return bound;
  for (const OrbitalPlan::MovedBlock& block : plan.moved_blocks(stage)) {
    const MessageCost cost = message_cost(machine, plan.block_bytes(block));
    // A block that is broadcast goes by half of the ring's links each way.
    const unsigned passed_on = block.is_broadcast ? steps - 1 : steps;
    const unsigned on_a_link = block.is_broadcast ? steps / 2 : steps;
    bound.processor += passed_on * cost.packets * (machine.inject_cycles + machine.receive_cycles);
    bound.link = std::max(bound.link, machine.wire_cycles(on_a_link * cost.wire_bytes));
  }
  return bound;
}

}  // namespace toroid::fft
