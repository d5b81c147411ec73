// The usual ways to divide an array into numbered parts, and their assignment to nodes.
#pragma once

#include <span>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

// Each of these is a distribution over parts in the place of nodes. Where there are more parts than
// planes or lines, some hold nothing.

/// A grid of blocks, numbered in C order of the grid, whose extents along the axes are `grid`. Each
/// lies in memory without gaps, its axes in `order`.
Distribution block_parts(const Index& extents, const Index& grid, const AxisOrder& order = kCOrder);

/// Runs of whole lines along the last axis of `order`, which are numbered in the order of the other
/// axes and lie one behind the other.
Distribution line_parts(const Index& extents, const AxisOrder& order, Rank parts);

/// C order with `axis` moved to the end, and the arrays of a batch next to it: the same lines of
/// every array lie together.
AxisOrder lines_order(unsigned axis);

/// Part i belongs to nodes[i]; all other nodes of a machine of `size` hold nothing. REQUIRES: the
/// distribution has as many parts as there are nodes, which are different and below `size`.
Distribution on_nodes(const Distribution& parts, std::span<const Rank> nodes, Rank size);

}  // namespace toroid::fft
