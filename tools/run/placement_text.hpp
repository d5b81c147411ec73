// Drawings of a placement for people: which worker runs on which core and owns which nodes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"

namespace toroid {

/// The cores with their workers and nodes, and a map of the torus if it is small. Lines end with
/// '\n'; there are at most 60 of them. The first says how many workers there are, and why.
std::string placement_text(const HostTopology& topology, const Shape& shape,
                           const Placement& placement);

/// A line for each package and NUMA node, each worker, and each run of idle cores.
std::vector<std::string> placement_tree(const HostTopology& topology, const Shape& shape,
                                        const Placement& placement);

/// Each node's worker, as a map of the torus: a slice of two dimensions is a block, and the blocks
/// of the first dimension stand side by side. The first line is the title. There are no lines if
/// the torus has more than three dimensions, or the map more than `most` lines or 96 columns.
std::vector<std::string> placement_map(const Shape& shape, const Placement& placement,
                                       std::size_t most);

/// "1 node", "2 nodes"
std::string counted(std::size_t number, std::string_view thing);

}  // namespace toroid
