// Lower bound on the time of a stage of the orbital transform.
#pragma once

#include "fft/orbital/plan.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// The least number of cycles of a stage, from having its data to having its sum. All nodes do the
/// same: each step has one product, and blocks that go to neighbours.
struct OrbitalStageBound {
  Tick processor = 0;  ///< of a node: products, and sending and receiving packets
  Tick link = 0;       ///< of each link over which blocks are shifted

  Tick cycles() const { return processor > link ? processor : link; }
};
/// The bound for the first of `lanes` arrays that are transformed at the same time. Within it, the
/// node also computes the other arrays' products, and each ring carries all but two of every other
/// array's blocks.
OrbitalStageBound bound_of_stage(const OrbitalPlan& plan, unsigned stage, const Machine& machine,
                                 unsigned lanes = 1);

}  // namespace toroid::fft
