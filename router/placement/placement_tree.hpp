// A tree of the machine's cores with the workers on them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"

namespace toroid {

/// "1 node", "2 nodes"
std::string counted(std::size_t number, std::string_view thing);

/// A line for each package and NUMA node, each worker, and each run of idle cores.
std::vector<std::string> placement_tree(const HostTopology& topology, const Shape& shape,
                                        const Placement& placement);

}  // namespace toroid
