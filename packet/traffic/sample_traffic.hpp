// A sample of the all-to-all that loads all links as evenly as the whole does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/offset.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Every node sends to the same places relative to itself, round the rings; distances that leave a
/// mesh lead nowhere. In every dimension every distance occurs equally often, if the number of
/// places is a multiple of the extent, so that on a torus every link of a dimension carries the
/// whole all-to-all's share of it.
class SampleTraffic final : public Traffic {
 public:
  /// `offsets` as coordinates, none of them twice, none zero.
  SampleTraffic(std::string name, const Shape& shape, const std::vector<Coord>& offsets,
                std::uint64_t bytes);

  /// `count` offsets, drawn by `seed`. REQUIRES: at most half of the shape's nodes.
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
  std::vector<bool> leads_to_;  ///< [rank]: an offset leads there from node 0
  std::uint64_t bytes_;
};

}  // namespace toroid
