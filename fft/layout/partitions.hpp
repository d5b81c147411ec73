// Common ways to divide an array into numbered parts, and the assignment of parts to nodes.
#pragma once

#include <span>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

// The distributions that block_parts() and line_parts() return have numbers of parts in place of
// nodes. If there are more parts than planes or lines, some parts are empty. All functions throw
// BadInput if an extent or a number of parts is below 1, an order does not have every axis once, or
// an argument does not meet what the function says.

/// Cuts the array into blocks. They form a grid with the extents `grid`, and are numbered in C
/// order of the grid. Each block is stored without gaps, its axes in `order`. The grid does not cut
/// the batch axis.
Distribution block_parts(const Index& extents, const Index& grid, const AxisOrder& order = kCOrder);

/// Cuts the array into runs of whole lines along the last axis of `order`, which is not the batch
/// axis. Lines are numbered in the order of the other axes and stored one after the other.
Distribution line_parts(const Index& extents, const AxisOrder& order, Rank parts);

/// C order with `axis` moved to the end and the batch axis just before it, so that the lines that
/// have the same indices in the arrays of a batch lie together.
AxisOrder lines_order(unsigned axis);

/// Assigns part i to nodes[i]; all other nodes of a machine of `size` nodes hold nothing. The nodes
/// are distinct and below `size`. REQUIRES: `nodes` has one node per part.
Distribution on_nodes(const Distribution& parts, std::span<const Rank> nodes, Rank size);

}  // namespace toroid::fft
