#include "router/fabrics/make_fabric.hpp"

#include <fmt/core.h>

#include "hal/check.hpp"
#include "router/fabrics/job_fabric.hpp"
#include "router/sim/sim_fabric.hpp"

namespace toroid {

std::unique_ptr<Fabric> make_fabric(std::string_view name, const Shape& shape,
                                    const Machine& machine, const RingOptions& rings) {
  if (name == "sim") return make_sim_fabric(shape, machine);
  if (name == "shm") return make_ring_fabric(shape, machine, rings);
  if (name == "ofi") return fabrics::make_job_fabric(shape, machine, rings);
  throw BadInput(fmt::format("fabric '{}' does not exist; use sim, shm or ofi", shortened(name)));
}

}  // namespace toroid
