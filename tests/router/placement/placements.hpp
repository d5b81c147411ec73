// Measures of placements, independent of the code under test.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"

namespace toroid::testing {

inline Placement placed(const std::string& machine, const std::string& shape,
                        unsigned threads = 0) {
  return place(HostTopology::synthetic(machine), Shape::parse(shape), threads, Binding::core);
}

inline std::vector<std::size_t> node_counts(const Placement& placement) {
  std::vector<std::size_t> counts;
  for (const auto& worker : placement.workers) counts.push_back(worker.nodes.size());
  return counts;
}

/// Each node's worker; -1 for a node with no owner or several.
inline std::vector<int> owners(const Shape& shape, const Placement& placement) {
  std::vector<int> owner(shape.size(), -1), times(shape.size(), 0);
  for (std::size_t w = 0; w < placement.workers.size(); ++w)
    for (const Rank node : placement.workers[w].nodes) {
      owner.at(node) = static_cast<int>(w);
      ++times.at(node);
    }
  for (Rank node = 0; node < shape.size(); ++node)
    if (times[node] != 1) owner[node] = -1;
  return owner;
}

/// Pairs of neighbours, one per link, found by walking along the dimensions.
inline std::vector<std::pair<Rank, Rank>> links_of(const Shape& shape) {
  std::vector<std::pair<Rank, Rank>> links;
  Rank stride = shape.size();
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const unsigned extent = shape.extent(d);
    stride /= extent;
    for (Rank node = 0; node < shape.size(); ++node) {
      const Rank at = node / stride % extent;
      if (extent == 1 || (at + 1 == extent && !shape.wraps(d))) continue;
      links.emplace_back(node, at + 1 == extent ? node - at * stride : node + stride);
    }
  }
  return links;
}

inline std::size_t crossing(const Shape& shape, const std::vector<int>& owner) {
  std::size_t crossing = 0;
  for (const auto& [a, b] : links_of(shape)) crossing += owner[a] != owner[b];
  return crossing;
}

/// Gives every worker a block of consecutive ranks.
inline std::vector<int> rank_blocks(const Shape& shape, unsigned workers) {
  std::vector<int> owner(shape.size());
  for (unsigned w = 0; w < workers; ++w)
    for (Rank node = shape.size() * w / workers; node < shape.size() * (w + 1) / workers; ++node)
      owner[node] = static_cast<int>(w);
  return owner;
}

}  // namespace toroid::testing
