// The worker threads of a run.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "router/placement/placement.hpp"
#include "router/shm/device.hpp"
#include "router/shm/port.hpp"
#include "router/shm/topology.hpp"
#include "router/termination/control.hpp"

namespace toroid::ring {

class WorkerPool {
 public:
  /// All outlive it. `port`: what the first worker serves besides its nodes; may be null.
  WorkerPool(RingTopology& topology, const Placement& placement, termination::RunControl& control,
       Port* port = nullptr)
      : topology_(topology), placement_(placement), control_(control), port_(port) {}

  /// Starts the workers, which allocate their rings; then calls `ready`, lets them run, and calls
  /// `watch`; returns when they have ended. What `ready` throws ends them.
  void run(const std::function<void()>& ready, const std::function<void()>& watch);

 private:
  struct Gates;
  void work(std::size_t worker, Gates& gates);
  std::vector<RingDevice*> prepare(const WorkerPlace& place);

  RingTopology& topology_;
  const Placement& placement_;
  termination::RunControl& control_;
  Port* port_;
};

}  // namespace toroid::ring
