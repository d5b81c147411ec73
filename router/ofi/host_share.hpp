// The share of a host's cores that a process gets if several processes of a job run there.
#pragma once

#include "hal/shape.hpp"
#include "router/job/job.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"

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

/// Places the workers of this process, which has the nodes of its part of the Partition, on its
/// share of the host's cores. `threads`: 0 means one per core of the share. If there are fewer
/// cores than processes, the workers are not bound. A collective call of the job. Throws BadInput
/// if there are more processes than nodes.
Placement place_beside_others(Job& job, HostTopology topology, const Shape& shape, unsigned threads,
                              Binding binding);

}  // namespace toroid
