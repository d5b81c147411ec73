// The share of a host's cores that a process gets if several processes of a job run there.
#pragma once

#include "router/job/job.hpp"
#include "router/placement/host_topology.hpp"

namespace toroid {

/// How many processes may use the same cores, and the index of one process among them, from 0.
struct HostShare {
  unsigned index = 0;
  unsigned processes = 1;
};

/// Returns the share of this process. A collective call of the job. It counts only processes to
/// which the launcher has given the same set of cores.
HostShare share_of_host(Job& job, const HostTopology& topology);

/// The cores of a share: different cores for each process, as long as there are enough.
HostTopology cores_of(HostTopology topology, const HostShare& share);

}  // namespace toroid
