// Common ways to divide an array into numbered parts, and the assignment of parts to nodes.
#pragma once

#include <span>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

// Each function returns a distribution over parts instead of nodes. If there are more parts than
// planes or lines, some parts are empty.

/// Blocks in a grid with the extents `grid`, numbered in C order of the grid. Each block is stored
/// without gaps, its axes in `order`.
Distribution block_parts(const Index& extents, const Index& grid, const AxisOrder& order = kCOrder);

/// Runs of whole lines along the last axis of `order`. Lines are numbered in the order of the other
/// axes and stored one after the other.
Distribution line_parts(const Index& extents, const AxisOrder& order, Rank parts);

/// C order with `axis` moved to the end and the batch axis just before it, so that the same lines
/// of all arrays lie together.
AxisOrder lines_order(unsigned axis);

/// Assigns part i to nodes[i]; all other nodes of a machine of `size` nodes hold nothing. REQUIRES:
/// `nodes` has one node per part; the nodes are distinct and below `size`.
Distribution on_nodes(const Distribution& parts, std::span<const Rank> nodes, Rank size);

}  // namespace toroid::fft
