// The slab paper's block table: blocking beside non-blocking, on 1 to all nodes.
#pragma once

#include <string>

#include "tools/io/array_io.hpp"
#include "tools/results/json.hpp"
#include "tools/transform/plane_tuner.hpp"

namespace toroid {

/// Runs both on the machine: blocks in seconds, and `ratio`, non-blocking to blocking. With planes
/// of 0 or -1 the number is tuned.
Json slab_comparison(const SlabTrial& trial, const HostArray& input);
/// The same for the machine and its halves down to one node.
Json slab_timings(const SlabTrial& trial, const HostArray& input);

std::string timings_table(const Json& timings);

}  // namespace toroid
