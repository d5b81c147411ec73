// The share of a host that a process gets if several processes of a job run there.
#pragma once

#include "router/job/job.hpp"
#include "router/placement/host_topology.hpp"

namespace toroid {

/// A process is the `index`th of `processes` that may use the same cores.
struct HostShare {
  unsigned index = 0;
  unsigned processes = 1;
};

/// The share of this process. A collective of the job. Processes to which the launcher has given
/// different cores share nothing.
HostShare share_of_host(Job& job, const HostTopology& topology);

/// The cores of a share: different ones for each process, as long as there are enough.
HostTopology cores_of(HostTopology topology, const HostShare& share);

}  // namespace toroid
