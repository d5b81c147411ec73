#include <memory>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/fabrics/job_fabric.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::fabrics {

std::unique_ptr<Fabric> make_job_fabric(const Shape& shape, const Machine& machine,
                                        const RingOptions& rings) {
  return make_ofi_fabric(shape, machine, {.ring = rings});
}

}  // namespace toroid::fabrics
