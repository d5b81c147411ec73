// What all nodes of a plan share: the stages of a description on a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/redistribution_traffic.hpp"
#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

/// A step of a transform between two exchanges: it finds an array in one distribution, transforms
/// axes of it, each whole on its node, and leaves it in another distribution.
struct Stage {
  std::string name;  ///< the axes that it transforms, or "in", "out", "return" if it has none
  Distribution in;
  Distribution out;
  Axes axes{};                     ///< that it transforms
  bool real_in = false;            ///< `in` holds real numbers
  bool real_out = false;           ///< `out` does; half a spectrum if only real_in is set
  bool is_orbital = false;         ///< the orbital transform, which communicates by itself
  bool same_distribution = false;  ///< `in` equals `out`: the stage can work in place

  /// Whether the stage computes nothing and only marks a side of an exchange.
  bool is_empty() const { return axes == Axes{} && !is_orbital; }
};

/// The exchange between a stage and the next, among nodes that differ in the torus dimensions
/// [first, last) only.
struct StageExchange {
  unsigned first = 0;
  unsigned last = 0;
  /// The axis along which the exchange may be cut into pieces, in each direction; none: it may not.
  std::optional<unsigned> forward_axis{};
  std::optional<unsigned> backward_axis{};

  Group group(const Shape& shape, Rank self) const { return {shape, first, last, self}; }
};

/// Stages and the exchanges between them.
struct Stages {
  std::vector<Stage> stages;
  std::vector<StageExchange> exchanges;
};

/// The stages of a plan and the exchanges between them. Forward goes through them from first to
/// last, backward from last to first with the exchanges turned round. Nodes share it: it does
/// not change, except that it remembers its exchange plans, under a lock.
class Blueprint {
 public:
  /// Throws BadInput if the array does not fit the machine or the method; the message says what
  /// would fit.
  Blueprint(const Description& description, const Shape& shape);
  /// Of stages that are made already.
  Blueprint(const Description& description, const Shape& shape, Stages stages);
  Blueprint(const Blueprint&) = delete;  // exchanges refer to its distributions

  const Description& description() const { return description_; }
  const Shape& shape() const { return shape_; }
  /// The stages in the order of forward; at least one.
  std::span<const Stage> stages() const { return stages_; }
  /// exchanges()[i] lies between stages i and i + 1.
  std::span<const StageExchange> exchanges() const { return exchanges_; }
  /// Points of one array on the side that forward takes, before any box cut.
  double points() const;
  /// Extents of what forward takes, and of what it gives.
  const Index& in_extents() const { return stages_.front().in.extents; }
  const Index& out_extents() const { return stages_.back().out.extents; }
  /// Whether forward takes real numbers, and whether it gives real numbers.
  bool real_in() const { return stages_.front().real_in; }
  bool real_out() const { return stages_.back().real_out; }
  /// Bytes of a real or complex element.
  std::uint32_t bytes(bool real) const {
    const std::uint32_t precision = description_.precision == Precision::single ? 4 : 8;
    return real ? precision : 2 * precision;
  }
  /// How an exchange is cut into pieces in one direction: as many planes per piece as the
  /// description asks for, lowered to a divisor of the longest part's planes unless pieces taper.
  PieceRule pieces(std::size_t exchange, Way way) const;
  /// The axis whose indices the stage after an exchange in pieces transforms one by one, each when
  /// it has come; none: that stage waits for everything.
  std::optional<unsigned> line_axis(std::size_t exchange, Way way) const;

  /// What goes from whom to whom among the nodes that exchange with node `member`, all pieces
  /// together.
  RedistributionTraffic traffic(std::size_t exchange, Way way, Rank member) const;
  /// The exchange under the policy of its nodes, worked out for the first node that asks. Nodes
  /// that share a blueprint share a policy.
  const ExchangePlan& exchange_plan(std::size_t exchange, Way way, const Node& node) const;

 private:
  void add_user_boxes();
  void keep_pieces_where_all_receive();
  Description without_batch() const;

  Description description_;
  Shape shape_;
  std::vector<Stage> stages_;
  std::vector<StageExchange> exchanges_;
  mutable std::mutex mutex_;  ///< guards plans_
  mutable std::map<std::pair<std::size_t, Way>, std::unique_ptr<const ExchangePlan>> plans_;
};

/// What nodes are built with for a transform under a policy: `options` with the settings of its
/// policy for the first exchange, and the named queues that its exchanges need. Throws BadInput
/// where the policy does not fit the machine.
NodeOptions node_options(const Blueprint& blueprint, const Machine& machine, NodeOptions options);

// What each method makes of a description, in a file of its own. They throw BadInput as Blueprint
// does.
Stages volumetric_stages(const Description& description, const Shape& shape);
Stages slab_stages(const Description& description, const Shape& shape);
Stages rows_stages(const Description& description, const Shape& shape);
Stages orbital_stages(const Description& description, const Shape& shape);

}  // namespace toroid::fft
