// Checks that all processes of a job make the same fabric.
#pragma once

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/job/job.hpp"
#include "router/ofi/ofi_fabric.hpp"

namespace toroid::ofi {

/// What a process passes to make_ofi_fabric(), as far as it must be the same on all processes.
struct FabricInputs {
  const Shape& shape;
  const Machine& machine;
  const OfiOptions& options;
  bool places_itself;  ///< whether the process passes no placement
};

/// Compares the versions of toroid and libfabric and every input with those of process 0. A
/// collective call of the job. If an item differs, throws BadInput with the same text on every
/// process; it names the item, both values and both processes.
void refuse_different(Job& job, const FabricInputs& mine);

}  // namespace toroid::ofi
