// How many worker threads there are, on which core each runs, and which nodes each owns.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"

namespace toroid {

enum class Binding {
  none,  ///< the operating system may move workers between cores
  core   ///< each worker stays on its core; workers that share a core stay there together
};

struct WorkerPlace {
  unsigned core;              ///< index into the topology's cores()
  unsigned package;           ///< of that core
  unsigned numa;              ///< of that core
  std::vector<unsigned> pus;  ///< operating-system indices of the PUs to bind to; empty if the
                              ///< worker is not bound
  std::vector<Rank> nodes;    ///< ascending, never empty
};

/// Every placed node belongs to exactly one worker; the workers' node counts differ by at most one.
struct Placement {
  std::vector<WorkerPlace> workers;  ///< in the order of their cores
  bool oversubscribed;               ///< more workers than cores
  std::string reason;                ///< reason for the number of workers, as in "2 allowed cores"
};

/// Places `threads` workers, but at most one per node. If `threads` is 0, the number of workers is
/// the smallest of three numbers: cores, nodes, and CPUs of the quota, rounded up (see cpu_quota).
///
/// Workers take cores in the topology's order, so that even a few workers are close together. If
/// there are more workers than cores, the rest start again with the first core. Nodes are assigned
/// by recursive bisection: a package, then a NUMA node, then a core gets a compact part of the
/// torus. If nodes have several ranks, the worker of a node has all of them.
Placement place(const HostTopology& topology, const Shape& shape, unsigned threads, Binding binding,
                double quota = std::numeric_limits<double>::infinity());
/// The same for a subset of the torus's nodes. `nodes` is in ascending order and not empty.
Placement place(const HostTopology& topology, const Shape& shape, std::vector<Rank> nodes,
                unsigned threads, Binding binding,
                double quota = std::numeric_limits<double>::infinity());

/// The placement, if it has exactly these nodes, each once. Otherwise throws BadInput, which names
/// a node that is missing or has no business there. `nodes` is in ascending order.
Placement checked(Placement placement, const Shape& shape, const std::vector<Rank>& nodes);

/// Binds the calling thread to the worker's PUs; does nothing if there are none. Returns false if
/// the system refused: then the thread may run wherever it could before.
[[nodiscard]] bool bind_this_thread(const WorkerPlace& place);

}  // namespace toroid
