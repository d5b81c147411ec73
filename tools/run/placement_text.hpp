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
/// each ending with '\n'. The first line has the number of workers and the reason for this number.
std::string placement_text(const HostTopology& topology, const Shape& shape,
                           const Placement& placement);

/// The lines for the cores: one for each package and NUMA node, one for each worker, and one for
/// each series of idle cores.
std::vector<std::string> placement_tree(const HostTopology& topology, const Shape& shape,
                                        const Placement& placement);

/// A map of the torus that shows the worker of each node. In three dimensions each X has a block of
/// rows and columns, and the blocks are side by side. The first line is the title. There are no
/// lines if the torus has more than three dimensions, or if the map would have more than `most`
/// lines or 96 columns.
std::vector<std::string> placement_map(const Shape& shape, const Placement& placement,
                                       std::size_t most);

}  // namespace toroid
