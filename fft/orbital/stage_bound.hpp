// What a stage of the orbital transform takes at least.
#pragma once

#include "fft/orbital/plan.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// Cycles that one array takes at least. All nodes do the same: in every step a product, and blocks
/// that go to neighbours.
struct OrbitalStageBound {
  Tick processor = 0;  ///< of a node: products, and the packets that it sends and receives
  Tick link = 0;       ///< of each link that blocks are shifted over

  Tick cycles() const { return processor > link ? processor : link; }
};
OrbitalStageBound bound_of_stage(const OrbitalPlan& plan, unsigned stage, const Machine& machine);

}  // namespace toroid::fft
