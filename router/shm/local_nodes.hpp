// The nodes of the torus that live in this process.
#pragma once

#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::ring {

class LocalNodes {
 public:
  /// All of the torus.
  explicit LocalNodes(const Shape& shape) : nodes_(shape.size()), index_(shape.size()) {
    std::iota(nodes_.begin(), nodes_.end(), Rank{0});
    index_ = nodes_;
  }
  /// Some nodes, ascending.
  LocalNodes(const Shape& shape, std::vector<Rank> nodes)
      : nodes_(std::move(nodes)), index_(shape.size(), kElsewhere) {
    for (Rank i = 0; i < nodes_.size(); ++i) index_[nodes_[i]] = i;
  }

  std::span<const Rank> nodes() const { return nodes_; }
  Rank size() const { return static_cast<Rank>(nodes_.size()); }
  bool has(Rank node) const { return index_[node] != kElsewhere; }
  /// Of a node in nodes(). REQUIRES: has(node).
  Rank index(Rank node) const {
    const Rank index = index_[node];
    TOROID_CHECK(index != kElsewhere);
    return index;
  }

 private:
  static constexpr Rank kElsewhere = std::numeric_limits<Rank>::max();

  std::vector<Rank> nodes_;
  std::vector<Rank> index_;  ///< [rank]
};

}  // namespace toroid::ring
