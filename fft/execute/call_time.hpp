// The time of a transform on a fabric, for those who choose between plans.
#pragma once

#include <memory>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/fabric.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

/// Runs the transform `rounds` times in one direction on the nodes of this process, with arrays of
/// zeros. A round lasts from the first node that begins it to the last that ends it. Returns the
/// median over the rounds, in ticks of Device::now(); in virtual time one round tells all. Throws
/// BadInput as Plan does, and what Fabric::run() throws. REQUIRES: nothing is attached to the
/// fabric yet, and rounds > 0.
Tick call_time(Fabric& fabric, const NodeOptions& options,
               std::shared_ptr<const Blueprint> blueprint, Way way, unsigned rounds = 7);

}  // namespace toroid::fft
