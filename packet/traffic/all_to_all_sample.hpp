// A sample of the all-to-all that loads all links as evenly as the whole all-to-all does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/node_offset.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Every node sends to the same places relative to itself, round the rings; offsets that leave a
/// mesh lead nowhere. If the number of places is a multiple of a dimension's extent, every distance
/// in that dimension occurs equally often. Then, on a torus, the load of every link of the
/// dimension is the same share of its load in the whole all-to-all.
class SampleTraffic final : public Traffic {
 public:
  /// `offsets` are given as coordinates; all are different, and none is zero.
  SampleTraffic(std::string name, const Shape& shape, const std::vector<Coord>& offsets,
                std::uint64_t bytes);

  /// Draws `count` offsets by `seed`. REQUIRES: `count` is at most half of the shape's nodes.
  static std::vector<Coord> drawn(const Shape& shape, Rank count, std::uint64_t seed);

  std::string_view name() const override { return name_; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::optional<std::uint64_t> message_bytes() const override { return bytes_; }
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override;
  Rank draw(Rank from, Random& random) const override;

 private:
  std::string name_;
  Shape shape_;
  std::vector<Offset> offsets_;
  std::vector<bool> leads_to_;  ///< [rank]: whether an offset leads there from node 0
  std::uint64_t bytes_;
};

}  // namespace toroid
