// The fabric `ofi`, or its refusal: implemented by with_ofi.cpp or, in builds with
// -DTOROID_OFI=OFF, by without_ofi.cpp.
#pragma once

#include <functional>
#include <memory>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::fabrics {

/// Makes `ofi` on the job that join_job() joins. Throws BadInput if this build lacks `ofi`.
std::unique_ptr<Fabric> make_job_fabric(const Shape& shape, const Machine& machine,
                                        const RingOptions& rings);

/// Joins the job that join_job() joins, and keeps this process in it as long as the handle exists:
/// then fabrics can be made one after the other. `poll` is JobOptions::poll. If the job fails, this
/// process is not ended; its fabrics throw. Throws BadInput if this build lacks `ofi`.
std::shared_ptr<void> keep_job(std::function<void()> poll);

}  // namespace toroid::fabrics
