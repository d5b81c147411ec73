// Shows a placement as text: which worker runs on which core and owns which nodes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"

namespace toroid {

/// The cores with their workers and nodes, and a map of the torus if it is small: at most 60 lines,
/// each with a '\n'. The first line has the number of workers and its reason.
std::string placement_text(const HostTopology& topology, const Shape& shape,
                           const Placement& placement);

/// A line for each package and NUMA node, each worker, and each run of idle cores.
std::vector<std::string> placement_tree(const HostTopology& topology, const Shape& shape,
                                        const Placement& placement);

/// A map of the torus with each node's worker: a slice of two dimensions is a block, and the blocks
/// of the first dimension are side by side. The first line is the title. There are no lines if the
/// torus has more than three dimensions or the map has more than `most` lines or 96 columns.
std::vector<std::string> placement_map(const Shape& shape, const Placement& placement,
                                       std::size_t most);

}  // namespace toroid
