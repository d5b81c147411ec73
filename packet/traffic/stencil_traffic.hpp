// Every node sends to the same places relative to itself: neighbours, halos, ring shifts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/node_offset.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Every node sends to the nodes at given offsets, of -1, 0 or +1 per dimension. A node that
/// several offsets lead to (extent 1 or 2) gets one message. Offsets that leave a mesh lead
/// nowhere. On a twisted torus they follow the links across the twists.
class StencilTraffic final : public Traffic {
 public:
  StencilTraffic(std::string name, const Shape& shape, std::vector<Offset> offsets,
                 std::uint64_t bytes);

  /// All offsets that are one step along one dimension, up or down.
  static std::vector<Offset> neighbours(unsigned dims);
  /// All offsets except that of the node itself: 3^dims - 1.
  static std::vector<Offset> halo(unsigned dims);
  /// The offsets of one step up along each of the dimensions whose bits are set.
  static std::vector<Offset> rolls(unsigned dims, unsigned along);

  std::string_view name() const override { return name_; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::vector<Rank> targets(Rank from) const override { return around(from, +1); }
  std::vector<Rank> sources(Rank to) const override { return around(to, -1); }
  Rank draw(Rank from, Random& random) const override;

 private:
  std::vector<Rank> around(Rank node, int sign) const;

  std::string name_;
  Shape shape_;
  std::vector<Offset> offsets_;
  std::uint64_t bytes_;
};

}  // namespace toroid
