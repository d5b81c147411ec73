// Shares the nodes of a torus out among workers by recursive coordinate bisection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"

namespace toroid {

/// The smallest box around some nodes. It does not wrap around the ends of rings.
struct BoundingBox {
  Coord low, high;  ///< the corners, both inside
  unsigned length(unsigned d) const { return high[d] - low[d] + 1u; }
};

/// REQUIRES: nodes are not empty.
BoundingBox bounding_box(const Shape& shape, std::span<const Rank> nodes);

/// Distributes `nodes` over the workers. The list of workers is halved between packages if
/// possible, otherwise between NUMA nodes, otherwise between cores. The nodes are divided in the
/// same proportion, by the cut that crosses the fewest links. Then each half is divided in the same
/// way. Neighbouring workers get neighbouring nodes. REQUIRES: at least one worker, and no more
/// workers than nodes.
void share_out_nodes(const Shape& shape, std::vector<Rank> nodes, std::span<WorkerPlace> workers);

/// Number of links between different workers. Both directions count as one link; the two nodes of a
/// ring of two are joined by two links.
std::uint64_t crossing_links(const Shape& shape, std::span<const WorkerPlace> workers);

}  // namespace toroid
