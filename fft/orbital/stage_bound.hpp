// Lower bound on the time of a stage of the orbital transform.
#pragma once

#include <algorithm>

#include "fft/orbital/plan.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// The least number of cycles of a stage, from the time when a node has its data until it has its
/// sum. All nodes do the same: in each step they compute one product and send blocks to neighbours.
struct OrbitalStageBound {
  Tick processor = 0;    ///< cycles of a node for products and for sending and receiving packets
  Tick coprocessor = 0;  ///< cycles for the packets, if a second processor has this work
  Tick link = 0;         ///< cycles of each link over which blocks are shifted

  Tick busiest_processor() const { return std::max(processor, coprocessor); }
  Tick cycles() const { return std::max(busiest_processor(), link); }
};
/// The bound for the first of `lanes` arrays that are transformed at the same time. In this time,
/// the node also computes the products of the other arrays, and each ring carries the blocks of
/// every other array in all but two steps.
OrbitalStageBound bound_of_stage(const OrbitalPlan& plan, unsigned stage, const Machine& machine,
                                 unsigned lanes = 1);

}  // namespace toroid::fft
