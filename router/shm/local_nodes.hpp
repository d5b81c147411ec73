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

class Territory {
 public:
  /// All of the torus.
  explicit Territory(const Shape& shape) : nodes_(shape.size()), index_(shape.size()) {
    std::iota(nodes_.begin(), nodes_.end(), Rank{0});
    index_ = nodes_;
  }
  /// Some nodes, ascending.
  Territory(const Shape& shape, std::vector<Rank> nodes)
      : nodes_(std::move(nodes)), index_(shape.size(), kAbroad) {
    for (Rank i = 0; i < nodes_.size(); ++i) index_[nodes_[i]] = i;
  }

  std::span<const Rank> nodes() const { return nodes_; }
  Rank size() const { return static_cast<Rank>(nodes_.size()); }
  bool has(Rank node) const { return index_[node] != kAbroad; }
  /// Of a node in nodes(). REQUIRES: has(node).
  Rank index(Rank node) const {
    const Rank index = index_[node];
    TOROID_CHECK(index != kAbroad);
    return index;
  }

 private:
  static constexpr Rank kAbroad = std::numeric_limits<Rank>::max();

  std::vector<Rank> nodes_;
  std::vector<Rank> index_;  ///< [rank]
};

}  // namespace toroid::ring
