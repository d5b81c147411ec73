// Policies that combine blocks for many nodes into one message. With each stage, one more
// coordinate of the place of a block becomes that of its destination, or one more digit of its
// distance in ranks becomes 0.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/builders.hpp"
#include "packet/policies/policy.hpp"

namespace toroid::policies {
namespace {

class Combining : public RandomOrderPolicy {
 public:
  using RandomOrderPolicy::RandomOrderPolicy;
  bool combines() const final { return true; }
};

class ThreePhase final : public Combining {
 public:
  ThreePhase()
      : Combining("three-phase",
                  "dimension-ordered all-to-all with combining, a phase per dimension",
                  "few messages, but each byte passes a processor per dimension: good for short "
                  "messages") {}
  unsigned stages(const Shape& shape) const override { return shape.dims(); }
  bool keeps_to_shortest_ways(const Shape& shape) const override { return !shape.is_twisted(); }
  Rank relay(const Shape& shape, const Waypoint& block) const override {
    Coord next = shape.coord(block.here);
    next[block.stage] = shape.coord(block.to)[block.stage];
    return shape.rank(next);
  }
};

/// Rows of a virtual mesh are consecutive ranks. Blocks go along the row first, then along the
/// column. The number of rows divides the number of nodes, so that there are no holes. The default
/// is the largest divisor up to the square root. For a prime number of nodes it is 1, and every
/// node sends directly.
class VirtualMesh final : public Combining {
 public:
  explicit VirtualMesh(unsigned rows)
      : Combining(rows == 0 ? "virtual-mesh" : fmt::format("virtual-mesh:{}", rows),
                  "two-dimensional virtual mesh with combining, for short messages",
                  "about 2·sqrt(P) messages instead of P"),
        rows_(rows) {}
  unsigned stages(const Shape& shape) const override {
    if (rows_ > 0 && shape.size() % rows_ != 0) refuse_rows(shape.size());
    return 2;
  }
  Rank relay(const Shape& shape, const Waypoint& block) const override {
    const Rank columns = shape.size() / rows(shape.size());
    if (block.stage > 0) return block.to;
    return block.here / columns * columns + block.to % columns;
  }

 private:
  Rank rows(Rank nodes) const {
    if (rows_ > 0) return rows_;
    Rank rows = 1;
    while ((rows + 1) * (rows + 1) <= nodes) ++rows;
    while (nodes % rows != 0) --rows;
    return rows;
  }
  [[noreturn]] void refuse_rows(Rank nodes) const {
    Rank fewer = std::min<Rank>(rows_, nodes);
    while (nodes % fewer != 0) --fewer;
    Rank more = std::min<Rank>(rows_, nodes);
    while (nodes % more != 0) ++more;
    throw BadInput(fmt::format(
        "policy {}: {} nodes cannot form {} equal rows; expected {}", name(), nodes, rows_,
        more == fewer ? fmt::format("{}", more) : fmt::format("{} or {}", fewer, more)));
  }
  unsigned rows_;
};

/// Stage s moves every block by j·radix^s ranks, where j is digit s of the block's distance in
/// ranks, written in base radix.
class Bruck final : public Combining {
 public:
  explicit Bruck(unsigned radix)
      : Combining(fmt::format("bruck:{}", radix),
                  "J. Bruck et al., \"Efficient algorithms for all-to-all communications in "
                  "multiport message-passing systems\" (1997)",
                  "(r-1)·log_r(P) messages; each byte travels up to log_r(P) times"),
        radix_(radix) {}
  unsigned stages(const Shape& shape) const override {
    unsigned stages = 1;
    for (std::uint64_t reach = radix_; reach < shape.size(); reach *= radix_) ++stages;
    return stages;
  }
  Rank relay(const Shape& shape, const Waypoint& block) const override {
    const Rank nodes = shape.size();
    Rank weight = 1;  // radix^stage, which is below the number of nodes
    for (unsigned s = 0; s < block.stage; ++s) weight *= radix_;
    const Rank distance = block.to - block.here + (block.to < block.here ? nodes : 0);
    const Rank next = block.here + distance / weight % radix_ * weight;
    return next < nodes ? next : next - nodes;
  }

 private:
  unsigned radix_;
};

}  // namespace

PolicyPointer three_phase_policy(unsigned) {
  return std::make_unique<ThreePhase>();
}
PolicyPointer virtual_mesh_policy(unsigned rows) {
  return std::make_unique<VirtualMesh>(rows);
}
PolicyPointer bruck_policy(unsigned radix) {
  return std::make_unique<Bruck>(radix);
}

}  // namespace toroid::policies
