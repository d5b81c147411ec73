// The slab paper's block table: blocking beside non-blocking, on 1 to all nodes.
#pragma once

#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "tools/io/array_io.hpp"
#include "tools/results/json.hpp"
#include "tools/transform/plane_tuner.hpp"

namespace toroid {

/// The torus with its longest dimension cut by its smallest factor, again and again, as long as
/// every process has a node; largest last.
std::vector<Shape> machine_and_halves(const Shape& whole, unsigned processes);

/// Runs both on the machine: blocks in seconds (see Blocks), and `ratio`, non-blocking to blocking.
/// With planes of 0 or -1 the number is tuned. `processors`: over which means are taken.
Json slab_comparison(const SlabTrial& trial, const HostArray& input);
/// The same for the machine and its halves down to one node.
Json slab_timings(const SlabTrial& trial, const HostArray& input);

/// `moves_by_put`: messages may move by put, and the table says what that makes of its blocks.
std::string timings_table(const Json& timings, bool moves_by_put);

}  // namespace toroid
