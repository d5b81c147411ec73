#include <functional>
#include <memory>

#include "hal/check.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/fabrics/job_fabric.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::fabrics {

namespace {

constexpr const char* kWithout = "fabric ofi: this toroid is built without ofi (TOROID_OFI)";

}  // namespace

std::unique_ptr<Fabric> make_job_fabric(const Shape&, const Machine&, const RingOptions&) {
  throw BadInput(kWithout);
}

std::shared_ptr<void> keep_job(std::function<void()>) {
  throw BadInput(kWithout);
}

}  // namespace toroid::fabrics
