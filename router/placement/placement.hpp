// Which worker threads there are, on which core each runs, and which nodes each owns.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"

namespace toroid {

enum class Binding {
  none,  ///< the system may move workers about
  core   ///< each stays on its core; workers that share a core stay there together
};

struct WorkerPlace {
  unsigned core;              ///< index into the topology's cores()
  unsigned package;           ///< of that core
  unsigned numa;              ///< of that core
  std::vector<unsigned> pus;  ///< the system's indices of PUs to bind to; empty: not bound
  std::vector<Rank> nodes;    ///< ascending, never empty
};

/// Every node that is placed belongs to exactly one worker; the workers' numbers of nodes differ by
/// at most one.
struct Placement {
  std::vector<WorkerPlace> workers;  ///< in the order of their cores
  bool oversubscribed;               ///< more workers than cores
  std::string reason;                ///< why there are so many workers: "2 allowed cores"
};

/// Places `threads` workers, but no more than nodes. With 0 there are as many as the least of: the
/// cores, the quota in CPUs rounded up (see cpu_quota), the nodes.
///
/// Workers take cores in the topology's order, so that even a few of them are close together;
/// when all are taken, once more round. Nodes go to workers by recursive bisection: a package, then
/// a NUMA node, then a core gets a compact part of the torus.
Placement place(const HostTopology& topology, const Shape& shape, unsigned threads, Binding binding,
                double quota = std::numeric_limits<double>::infinity());
/// The same for some of the torus's nodes, ascending and at least one.
Placement place(const HostTopology& topology, const Shape& shape, std::vector<Rank> nodes,
                unsigned threads, Binding binding,
                double quota = std::numeric_limits<double>::infinity());

/// Binds the calling thread to the worker's PUs; without any it does nothing. False: the system
/// refused, and the thread may run wherever it could before.
[[nodiscard]] bool bind_this_thread(const WorkerPlace& place);

}  // namespace toroid
