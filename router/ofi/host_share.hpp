// What is a process's of a host that several processes of a run share.
#pragma once

#include "router/job/job.hpp"
#include "router/placement/host_topology.hpp"

namespace toroid {

/// The `index`th of `processes` that may use the same cores.
struct HostShare {
  unsigned index = 0;
  unsigned processes = 1;
};

/// Of this process. All call it in the same order. Processes to which the launcher has given
/// different cores share nothing.
HostShare share_of_host(Job& job, const HostTopology& topology);

/// The cores of one share: different ones for each process while there are enough.
HostTopology cores_of(HostTopology topology, const HostShare& share);

}  // namespace toroid
