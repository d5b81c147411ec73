// Lower bounds of a plan's time, from the actual messages of its exchanges, pair by pair.
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

/// Bounds and totals of one exchange over all nodes; all 0 for a stage that has none before it.
struct ExchangeBounds {
  Bounds bounds;  ///< hottest_link: the busiest group's
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

/// Bounds of a sequence of exchanges, each followed by line transforms. They may overlap in time as
/// far as data allows. So the whole is bounded by the sums over one link and over one processor,
/// not by the sum of the exchanges' bounds.
class TransformBounds {
 public:
  /// `by_engines`: DMA engines move the packets of exchanges. REQUIRES: the machine has them then.
  TransformBounds(const Blueprint& blueprint, const Machine& machine, Way way,
                  bool by_engines = false);

  /// Adds the next stage of the current direction: the exchange before it, whose bounds are
  /// returned, and its transforms.
  ExchangeBounds add_stage();
  /// Continues with the first stage of another call, which every node begins when it has ended its
  /// last one.
  void begin(Way way);
  /// The bounds of all stages added so far.
  Bounds total() const;
  /// The volumetric paper's estimate in cycles: exchanges that put the mean load on the links at
  /// 80 % of their rate, and the mean node's computation without its memory accesses.
  Tick paper_model() const { return paper_model_; }

 private:
  struct Tally;
  /// The two sides of an exchange.
  struct Ends {
    const Distribution* from;
    const Distribution* to;
    std::uint32_t bytes;  ///< bytes of an element
    PieceRule pieces;
    const StageExchange* exchange;
  };
  /// The sides of the exchange before the next stage.
  Ends ends() const;
  const Stage& stage(std::size_t number) const;
  void tally_group(const Ends& ends, const Group& group, Tally& tally) const;
  void tally_pair(const Ends& ends, const NodeLayout& from, const NodeLayout& to,
                  MessageCost& cost) const;
  ExchangeBounds add_exchange();
  /// What one node's part in an exchange takes.
  void add_busy(Rank node, const Tally& tally, Bounds& bounds);
  void add_transforms();
  void add_orbital();
  Tick cycles(double bytes) const;
  Tick hottest_link() const;

  const Blueprint* blueprint_;
  Machine machine_;
  bool by_engines_;
  Machine mover_;  ///< the machine, with the costs per packet of those who move packets
  Way way_;
  std::size_t next_ = 0;         ///< number of the next stage
  LinkLoad load_;                ///< sum of all exchanges so far
  std::vector<Tick> processor_;  ///< cycles of each node so far
  std::vector<Tick> engine_;     ///< likewise of its DMA engine
  Bounds largest_;               ///< largest of each bound among the exchanges so far
  Tick paper_model_ = 0;
};

}  // namespace toroid::fft
