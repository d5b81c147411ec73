// Starts the worker threads of a run, binds them to their cores, and joins them.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "router/placement/placement.hpp"
#include "router/shm/device.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/worker.hpp"
#include "router/termination/run_control.hpp"
#include "router/threads/cpu_account.hpp"

namespace toroid::ring {

/// The worker threads of one run. The fabric owns it; the fabric's thread creates and runs it.
class WorkerPool {
 public:
  /// All arguments outlive it. The first worker polls `pollable`, which may be null. `cpu`, which
  /// may be null, gets the workers' CPU time, except the time in which they allocate their rings.
  WorkerPool(DevicesAndRings& topology, const Placement& placement,
             termination::RunControl& control, CpuAccount* cpu, Pollable* pollable = nullptr)
      : topology_(topology),
        placement_(placement),
        control_(control),
        cpu_(cpu),
        pollable_(pollable) {}

  /// Starts the workers, which allocate their rings; then calls `ready`, lets them run, and calls
  /// `watch`. Returns when the workers have ended. An exception from `ready` ends them.
  void run(const std::function<void()>& ready, const std::function<void()>& watch);

 private:
  struct Gates;
  void work(std::size_t worker, Gates& gates);
  std::vector<RingDevice*> prepare(const WorkerPlace& place);

  DevicesAndRings& topology_;
  const Placement& placement_;
  termination::RunControl& control_;
  CpuAccount* cpu_;
  Pollable* pollable_;
};

}  // namespace toroid::ring
