// What a stage of the orbital transform takes at least.
#pragma once

#include "fft/orbital/plan.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// Cycles that a stage takes at least, from having its data to having its sum. All nodes do the
/// same: in every step a product, and blocks that go to neighbours.
struct OrbitalStageBound {
  Tick processor = 0;  ///< of a node: products, and the packets that it sends and receives
  Tick link = 0;       ///< of each link that blocks are shifted over

  Tick cycles() const { return processor > link ? processor : link; }
};
/// Of the first of `lanes` arrays that are transformed at the same time: meanwhile the others'
/// products are computed, too, and all of their blocks but two have come and gone in each ring.
OrbitalStageBound bound_of_stage(const OrbitalPlan& plan, unsigned stage, const Machine& machine,
                                 unsigned lanes = 1);

}  // namespace toroid::fft
