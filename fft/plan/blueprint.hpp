// What all nodes of a plan share: the stages of a description on a given machine.
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

/// A step of a transform between two exchanges. It reads an array in one distribution, transforms
/// some axes, and leaves the result in another distribution. Nodes hold whole lines along these
/// axes.
struct Stage {
  std::string name;  ///< names of its axes; "in", "out" or the like if it transforms none
  Distribution in;
  Distribution out;
  Axes axes{};           ///< the axes that it transforms
  bool real_in = false;  ///< `in` holds real numbers
  /// `out` holds real numbers. If only real_in is set, `out` holds half a spectrum.
  bool real_out = false;
  bool is_orbital = false;         ///< the orbital transform, which does its own communication
  bool same_distribution = false;  ///< `in` equals `out`, so the stage can work in place

  /// Whether the stage computes nothing and only marks one side of an exchange.
  bool is_empty() const { return axes == Axes{} && !is_orbital; }
};

/// The exchange between two consecutive stages. It runs among nodes whose coordinates differ only
/// in the torus dimensions [first, last).
struct StageExchange {
  unsigned first = 0;
  unsigned last = 0;
  /// For each direction, the axis along which the exchange may be cut into pieces; none if it may
  /// not be cut.
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
/// last, backward from last to first with the exchanges reversed. Nodes share a blueprint: it is
/// immutable, except that it caches its exchange plans under a lock.
class Blueprint {
 public:
  /// Throws BadInput if a field of the description has an impossible value, if the array does not
  /// fit the machine or the method, or if a node's part is too long for an exchange. The message
  /// says what would fit.
  Blueprint(const Description& description, const Shape& shape);
  /// Uses the given stages instead of making them. Throws BadInput if a field of the description
  /// has an impossible value, if the stages are not one more than the exchanges, or if a node's
  /// part is too long for an exchange.
  Blueprint(const Description& description, const Shape& shape, Stages stages);
  Blueprint(const Blueprint&) = delete;  // exchanges refer to the distributions in it

  const Description& description() const { return description_; }
  const Shape& shape() const { return shape_; }
  /// Whether the stages were given instead of following from the description.
  bool has_own_stages() const { return has_own_stages_; }
  /// The stages in forward order; at least one.
  std::span<const Stage> stages() const { return stages_; }
  /// exchanges()[i] lies between stages i and i + 1.
  std::span<const StageExchange> exchanges() const { return exchanges_; }
  /// Number of points of one array on forward's input side, before any box cut.
  double points() const;
  /// Extents of forward's input and of its output.
  const Index& in_extents() const { return stages_.front().in.extents; }
  const Index& out_extents() const { return stages_.back().out.extents; }
  /// Whether forward's input holds real numbers, and whether its output does.
  bool real_in() const { return stages_.front().real_in; }
  bool real_out() const { return stages_.back().real_out; }
  /// Bytes of a real or complex element.
  std::uint32_t bytes(bool real) const {
    const std::uint32_t precision = description_.precision == Precision::single ? 4 : 8;
    return real ? precision : 2 * precision;
  }
  /// How an exchange is cut into pieces in one direction. Planes per piece are those of the
  /// description, but no more than the longest part has. Unless pieces taper, the number is lowered
  /// to a divisor of the longest part's planes.
  PieceRule pieces(std::size_t exchange, Way way) const;
  /// After an exchange in pieces, the next stage may transform the lines of each index along this
  /// axis as soon as they have arrived. None if the stage waits for everything.
  std::optional<unsigned> line_axis(std::size_t exchange, Way way) const;

  /// All messages among the nodes that exchange with node `member`, summed over the pieces.
  RedistributionTraffic traffic(std::size_t exchange, Way way, Rank member) const;
  /// The exchange under the policy of `node`. It is made when a node first asks for it. All nodes
  /// that share a blueprint must have the same policy.
  const ExchangePlan& exchange_plan(std::size_t exchange, Way way, const Node& node) const;

 private:
  void add_user_boxes();
  void check_parts() const;
  void keep_pieces_where_all_receive();
  Description without_batch() const;

  Description description_;
  Shape shape_;
  bool has_own_stages_ = false;
  std::vector<Stage> stages_;
  std::vector<StageExchange> exchanges_;
  mutable std::mutex mutex_;  ///< guards plans_
  mutable std::map<std::pair<std::size_t, Way>, std::unique_ptr<const ExchangePlan>> plans_;
};

/// Options for nodes that run a transform under a policy: `options` with the policy's settings for
/// the first exchange, but with enough output queues and named queues for every exchange. Throws
/// BadInput if the policy does not fit the machine.
NodeOptions node_options(const Blueprint& blueprint, const Machine& machine, NodeOptions options);

// One function per method, each in its own file. They throw BadInput as Blueprint does.
Stages volumetric_stages(const Description& description, const Shape& shape);
Stages slab_stages(const Description& description, const Shape& shape);
Stages rows_stages(const Description& description, const Shape& shape);
Stages orbital_stages(const Description& description, const Shape& shape);

}  // namespace toroid::fft
