#include "fft/orbital/stage_bound.hpp"

#include "fft/orbital/factors.hpp"
#include "fft/plan/cost_model.hpp"
#include "hal/bounds.hpp"

namespace toroid::fft {

OrbitalStageBound bound_of_stage(const OrbitalPlan& plan, unsigned stage, const Machine& machine,
                                 unsigned lanes) {
  const unsigned steps = plan.extent();
  OrbitalStageBound bound{lanes * steps * product_cycles(machine, plan.multiply_adds(stage)), 0, 0};
  const unsigned axis = plan.stage(stage).axis;
  if (plan.by_factors(axis)) bound.processor += block_factor_cycles(plan, axis, machine);
  if (steps == 1) return bound;
  Tick& moving = machine.coprocessor != 0 ? bound.coprocessor : bound.processor;
  const unsigned rolled = steps + (lanes - 1) * (steps - 2);
  for (const OrbitalPlan::MovedBlock& block : plan.moved_blocks(stage)) {
    const MessageCost cost = message_cost(machine, plan.block_bytes(block));
    // Broadcast blocks go half round the ring each way, so half of them cross any one link.
    const unsigned passed_on = block.is_broadcast ? steps - 1 : rolled;
    const unsigned on_a_link = block.is_broadcast ? steps / 2 : rolled;
    moving += passed_on * cost.packets * (machine.inject_cycles + machine.receive_cycles);
    // In a ring of two nodes, two links lead from each node to the other.
    const unsigned links = steps == 2 ? 2 : 1;
    bound.link = std::max(bound.link, machine.wire_cycles(on_a_link * cost.wire_bytes / links));
  }
  return bound;
}

}  // namespace toroid::fft
