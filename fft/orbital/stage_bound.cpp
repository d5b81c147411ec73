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
  for (const OrbitalPlan::ShiftedBlock& block : plan.shifted_blocks(stage)) {
    const MessageCost cost = message_cost(machine, plan.block_bytes(block));
    bound.processor += steps * cost.packets * (machine.inject_cycles + machine.receive_cycles);
    bound.link = std::max(bound.link, machine.wire_cycles(steps * cost.wire_bytes));
  }
  return bound;
}

}  // namespace toroid::fft
