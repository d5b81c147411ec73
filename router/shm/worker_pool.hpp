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

class Crew {
 public:
  /// All outlive it. `port`: what the first worker serves besides its nodes; may be null.
  Crew(Wiring& wiring, const Placement& placement, RunControl& control, Port* port = nullptr)
      : wiring_(wiring), placement_(placement), control_(control), port_(port) {}

  /// Starts the workers, which allocate their rings; then calls `ready`, lets them run, and calls
  /// `watch`; returns when they have ended. What `ready` throws ends them.
  void run(const std::function<void()>& ready, const std::function<void()>& watch);

 private:
  struct Gates;
  void work(std::size_t worker, Gates& gates);
  std::vector<RingNode*> prepare(const WorkerPlace& place);

  Wiring& wiring_;
  const Placement& placement_;
  RunControl& control_;
  Port* port_;
};

}  // namespace toroid::ring
