// A lower bound on the load of the hottest link under shortest-path routing, by linear-programming
// duality.
#pragma once

#include <cstdint>
#include <span>

#include "hal/shape.hpp"

namespace toroid {

/// Bytes from one node to another.
struct Demand {
  Rank from;
  Rank to;
  double bytes;
};

/// A lower bound on the bytes that the hottest link carries, however each demand is split among its
/// shortest paths. Any lengths of links give such a bound: a demand of b bytes adds at least b
/// times the length of its shortest path to the sum over links of length times load. So the hottest
/// link carries at least the sum over demands divided by the sum of all lengths. This function
/// tries several rounds of lengths and returns the best bound; between rounds, links on which the
/// shortest paths meet become longer (the multiplicative weights of Shahrokhi and Matula, Journal
/// of the ACM 37, 1990).
///
/// Works for plain and twisted shapes alike. Returns 0 if a round would look at more than `steps`
/// hops; otherwise it makes as many rounds as `steps` permits, up to a hundred. It stops earlier if
/// the loads of its paths show that no bound is higher than `known` bytes, or than the best so far.
/// REQUIRES: the shape has no failures; `demands` are sorted by source, and none leads to its own
/// source.
double congestion_bound(const Shape& shape, std::span<const Demand> demands, std::uint64_t steps,
                        double known = 0);

}  // namespace toroid
