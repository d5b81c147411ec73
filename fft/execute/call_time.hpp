// Measures the time of a transform on a fabric, to choose between plans.
#pragma once

#include <memory>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/fabric.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

/// Runs the transform `rounds` times in one direction on the nodes of this process, with arrays of
/// zeros. A round lasts from when the first node begins it until the last node ends it. Returns the
/// median over the rounds, in ticks of Device::now(). In virtual time all rounds take the same
/// time, so one round is enough. Throws BadInput as Plan does and if there are 0 rounds, and
/// whatever Fabric::run() throws. REQUIRES: nothing is attached to the fabric yet.
Tick call_time(Fabric& fabric, const NodeOptions& options,
               std::shared_ptr<const Blueprint> blueprint, Way way, unsigned rounds = 7);

}  // namespace toroid::fft
