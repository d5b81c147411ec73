#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/fabrics/job_fabric.hpp"
#include "router/job/job.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::fabrics {

std::unique_ptr<Fabric> make_job_fabric(const Shape& shape, const Machine& machine,
                                        const RingOptions& rings) {
  return make_ofi_fabric(shape, machine, {.ring = rings});
}

std::shared_ptr<void> keep_job(std::function<void()> poll) {
  return std::make_shared<Job>(
      join_job({.abandon = [](const std::string&) {}, .poll = std::move(poll)}));
}

}  // namespace toroid::fabrics
