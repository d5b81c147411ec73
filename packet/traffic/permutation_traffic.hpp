// Every node sends to one other node. Networks are usually compared by such permutations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Every node sends to the node that a permutation maps it to. A node that is mapped to itself
/// sends nothing. The traffic takes eight bytes per node.
class PermutationTraffic final : public Traffic {
 public:
  /// REQUIRES: `to` is a permutation of the ranks.
  PermutationTraffic(std::string name, std::vector<Rank> to, std::uint64_t bytes);

  /// Maps each coordinate x to (x + ceil(k/2) - 1) mod k: the farthest coordinate to which only the
  /// + direction is shortest.
  static std::vector<Rank> tornado(const Shape& shape);
  /// Swaps coordinates a and b. REQUIRES: their extents are equal.
  static std::vector<Rank> transpose(const Shape& shape, unsigned a, unsigned b);
  /// Maps every coordinate x to k-1-x, which inverts all bits if k is a power of two.
  static std::vector<Rank> mirror(const Shape& shape);
  /// A random cycle through all nodes: no node is mapped to itself.
  static std::vector<Rank> cycle(Rank nodes, std::uint64_t seed);

  std::string_view name() const override { return name_; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::vector<Rank> targets(Rank from) const override { return one(to_, from); }
  std::vector<Rank> sources(Rank to) const override { return one(from_, to); }
  Rank draw(Rank from, Random&) const override {
    TOROID_CHECK(to_[from] != from);
    return to_[from];
  }

 private:
  std::vector<Rank> one(const std::vector<Rank>& map, Rank node) const;

  std::string name_;
  std::vector<Rank> to_;
  std::vector<Rank> from_;
  std::uint64_t bytes_;
};

}  // namespace toroid
