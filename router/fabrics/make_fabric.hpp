// Makes a fabric whose name the user of a program chooses.
#pragma once

#include <memory>
#include <string_view>

#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid {

/// Makes the fabric `name`: "sim", "shm" or "ofi". `rings` are the options of `shm`, and of `ofi`
/// for the rings within a process; `sim` has its default options. `shm` and `ofi` place
/// themselves on the cores that this process may use. `ofi` joins the job that the launcher
/// describes (join_job()), and leaves it with the process's last fabric; then no fabric can join
/// again. Throws BadInput for any other name, and for `ofi` if toroid was built without it;
/// otherwise like make_sim_fabric(), make_ring_fabric() and make_ofi_fabric().
std::unique_ptr<Fabric> make_fabric(std::string_view name, const Shape& shape,
                                    const Machine& machine, const RingOptions& rings = {});

}  // namespace toroid
