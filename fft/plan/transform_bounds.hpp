// Lower bounds on a plan's time. They are computed from the actual message of every pair of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/link_load.hpp"
#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/group.hpp"

namespace toroid::fft {

/// Bounds and totals of one exchange over all nodes. All are 0 for a stage without an exchange
/// before it.
struct ExchangeBounds {
  Bounds bounds;  ///< hottest_link is that of the busiest group
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

/// What the bounds need to know about the way in which exchanges move their messages.
struct Movement {
  bool by_engines = false;   ///< DMA engines move the packets
  bool is_combined = false;  ///< the policy combines messages, so that these share packets
  bool is_shortest = true;   ///< packets keep to shortest paths
};

/// Bounds of a sequence of exchanges, each followed by line transforms. Consecutive exchanges may
/// overlap in time as far as data dependencies allow. So the sum of the exchanges' bounds is not a
/// lower bound on the whole. The total load of any link and the total work of any processor are
/// lower bounds.
class TransformBounds {
 public:
  /// With Movement::by_engines, REQUIRES: the machine has DMA engines.
  TransformBounds(const Blueprint& blueprint, const Machine& machine, Way way,
                  const Movement& movement = {});

  /// Adds the next stage of the current direction: the exchange before it and its transforms.
  /// Returns the bounds of the exchange.
  ExchangeBounds add_stage();
  /// Continues with the first stage of another call. Every node begins this call when its own
  /// previous call has ended.
  void begin(Way way);
  /// The bounds of all stages added so far.
  Bounds total() const;
  /// The volumetric paper's estimate, in cycles: exchanges in which each link carries the mean load
  /// at 80 % of its rate, plus the mean computation of the nodes without memory accesses.
  Tick paper_model() const { return paper_model_; }

 private:
  struct Tally;
  /// The two sides of an exchange.
  struct Ends {
    const Distribution* from;
    const Distribution* to;
    std::uint32_t bytes;  ///< size of an element
    PieceRule pieces;
    const StageExchange* exchange;
  };
  /// The sides of the exchange before the next stage.
  Ends ends() const;
  const Stage& stage(std::size_t number) const;
  void tally_group(const Ends& ends, const Group& group, Tally& tally) const;
  MessageCost cost_of_pair(const Ends& ends, const NodeLayout& from, const NodeLayout& to) const;
  MessageCost combined_cost(std::uint64_t payload_bytes) const;
  Tick cycles_alone(const MessageCost& cost, Rank from, Rank to) const;
  ExchangeBounds add_exchange();
  /// Adds the busy time of one node for its part in an exchange.
  void add_busy(Rank node, const Tally& tally, Bounds& bounds);
  void add_transforms();
  void add_orbital();
  Tick cycles(double bytes) const;
  Tick hottest_link() const;

  const Blueprint* blueprint_;
  Machine machine_;
  Movement movement_;
  std::uint64_t parts_;  ///< loads and work of exchanges count in such parts of bytes and cycles
  Machine mover_;  ///< the machine, with packet costs of what moves packets: processor or engine
  Way way_;
  std::size_t next_ = 0;         ///< number of the next stage
  LinkLoad load_;                ///< sum of all exchanges so far
  std::vector<Tick> processor_;  ///< cycles of each node's processor so far
  std::vector<Tick> engine_;     ///< cycles of each node's DMA engine or coprocessor so far
  Bounds largest_;               ///< largest of each bound among the exchanges so far
  Tick paper_model_ = 0;
};

}  // namespace toroid::fft
