// Shares the nodes of a torus out among workers by recursive coordinate bisection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"

namespace toroid {

/// The smallest box around some nodes. It does not reach round the ends of rings.
struct BoundingBox {
  Coord low, high;  ///< the corners, both inside
  unsigned length(unsigned d) const { return high[d] - low[d] + 1u; }
};

/// REQUIRES: nodes are not empty.
BoundingBox bounding_box(const Shape& shape, std::span<const Rank> nodes);

/// Fills in the workers' nodes, of those given. The list of workers is halved, if possible between
/// packages, else between NUMA nodes, else between cores, and the nodes are cut in proportion where
/// the fewest links are cut; then each half likewise. Neighbouring workers get neighbouring nodes.
/// REQUIRES: at least one worker, and no more workers than nodes.
void share_out_nodes(const Shape& shape, std::vector<Rank> nodes, std::span<WorkerPlace> workers);

/// Links whose two ends belong to different workers; a link is one of both directions, and two
/// nodes in a ring of two are joined by two.
std::uint64_t crossing_links(const Shape& shape, std::span<const WorkerPlace> workers);

}  // namespace toroid
