// What all nodes of a plan share: the stages that a description comes down to on a machine.
//
// A stage finds an array in one spread, transforms some axes, each whole on its node, and leaves it
// in another; between stages the array is exchanged. Forward goes through them from first to last,
// backward from last to first, with the exchanges turned round.
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

namespace toroid {

struct Stage {
  std::string name;  ///< its axes, or what its exchange is for
  Distribution in;
  Distribution out;
  Axes axes{};                     ///< that it transforms
  bool real_in = false;            ///< `in` holds real numbers
  bool real_out = false;           ///< `out` does; else, with real_in, half a spectrum
  bool is_orbital = false;         ///< it communicates by itself
  bool same_distribution = false;  ///< `in` and `out` are one: it can work in place

  /// Nothing happens but an exchange before or after.
  bool is_empty() const { return axes == Axes{} && !is_orbital; }
};

/// Between a stage and the next: among the nodes that differ in the torus dimensions [first, last).
struct StageExchange {
  unsigned first = 0;
  unsigned last = 0;
  /// Axes of the pieces in which it may go: of the array that forward sends, and backward.
  std::optional<unsigned> forward_axis{};
  std::optional<unsigned> backward_axis{};

  Group group(const Shape& shape, Rank self) const { return {shape, first, last, self}; }
};

class Blueprint {
 public:
  /// Throws BadInput where the array does not fit the machine or the method, with what would.
  Blueprint(const Description& description, const Shape& shape);
  Blueprint(const Blueprint&) = delete;  // exchanges refer to its spreads

  const Description& description() const { return description_; }
  const Shape& shape() const { return shape_; }
  /// At least one.
  std::span<const Stage> stages() const { return stages_; }
  /// [i]: between stages i and i + 1.
  std::span<const StageExchange> exchanges() const { return exchanges_; }
  /// Points of one array before anything is cut, or after backward.
  double points() const;
  /// Extents of what forward takes, and of what it gives.
  const Index& in_extents() const { return stages_.front().in.extents; }
  const Index& out_extents() const { return stages_.back().out.extents; }
  /// Whether what forward takes, and what it gives, are real numbers.
  bool real_in() const { return stages_.front().real_in; }
  bool real_out() const { return stages_.back().real_out; }
  /// Of an element.
  std::uint32_t bytes(bool real) const {
    const std::uint32_t precision = description_.precision == Precision::single ? 4 : 8;
    return real ? precision : 2 * precision;
  }
  /// How the exchange after a stage goes in that direction: those planes per piece that were asked
  /// for, lowered to a divisor of the longest part's.
  PieceRule pieces(std::size_t exchange, Way way) const;

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
  mutable std::mutex mutex_;  ///< of plans_
  mutable std::map<std::pair<std::size_t, Way>, std::unique_ptr<const ExchangePlan>> plans_;
};

/// What nodes are built with for a transform under a policy: `options` with the settings of its
/// policy for the first exchange, and the named queues that its exchanges need. Throws BadInput
/// where the policy does not fit the machine.
NodeOptions node_options(const Blueprint& blueprint, const Machine& machine, NodeOptions options);

// What the methods come down to: one file each.
struct Stages {
  std::vector<Stage> stages;
  std::vector<StageExchange> exchanges;
};
Stages volumetric_stages(const Description& description, const Shape& shape);
Stages slab_stages(const Description& description, const Shape& shape);
Stages rows_stages(const Description& description, const Shape& shape);
Stages orbital_stages(const Description& description, const Shape& shape);

}  // namespace toroid
