// How much a node is sent depends on nothing but that node: hotspots, incast, skew.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Every node sends `to[r]` bytes to node r. The traffic takes sixteen bytes per node.
class SkewedTraffic final : public Traffic {
 public:
  SkewedTraffic(std::string name, std::vector<std::uint64_t> to);

  /// A share of what everybody sends goes to one node, the rest to all alike, that node too; in
  /// all, but for rounding, as much as an all-to-all of `bytes`. REQUIRES: share in [0, 1].
  static std::vector<std::uint64_t> hotspot(Rank nodes, Rank hot, double share,
                                            std::uint64_t bytes);
  static std::vector<std::uint64_t> incast(Rank nodes, Rank sink, std::uint64_t bytes);
  /// In a seeded order of popularity the i-th node, from 1, gets in proportion to i^-exponent; in
  /// all, but for rounding, as much as in an all-to-all of `bytes`.
  static std::vector<std::uint64_t> zipf(Rank nodes, double exponent, std::uint64_t bytes,
                                         std::uint64_t seed);

  std::string_view name() const override { return name_; }
  std::uint64_t bytes(Rank from, Rank to) const override { return from == to ? 0 : column(to); }
  bool has_equal_sources() const override { return true; }
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override;
  Rank draw(Rank from, Random& random) const override;

 private:
  Rank nodes() const { return static_cast<Rank>(below_.size() - 1); }
  std::uint64_t column(Rank r) const { return below_[r + 1] - below_[r]; }

  std::string name_;
  std::vector<std::uint64_t> below_;  ///< [r]: the sum over the nodes before r
};

}  // namespace toroid
