// The number of bytes to a node depends only on that node: hotspots, incast, skew.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Every node sends `to[r]` bytes to node r. The traffic takes eight bytes per node.
class SkewedTraffic final : public Traffic {
 public:
  SkewedTraffic(std::string name, std::vector<std::uint64_t> to);

  /// A share of all bytes goes to one node, the rest evenly to all nodes, including that one. The
  /// total is that of an all-to-all with messages of `bytes` bytes, apart from rounding. REQUIRES:
  /// share in [0, 1].
  static std::vector<std::uint64_t> hotspot(Rank nodes, Rank hot, double share,
                                            std::uint64_t bytes);
  static std::vector<std::uint64_t> incast(Rank nodes, Rank sink, std::uint64_t bytes);
  /// The nodes have a random order of popularity, which follows from `seed`. The i-th of them,
  /// counted from 1, receives bytes in proportion to i^-exponent. The total is that of an
  /// all-to-all with messages of `bytes` bytes, apart from rounding.
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
  std::vector<std::uint64_t> below_;  ///< [r]: sum of the bytes to the nodes before r
};

}  // namespace toroid
