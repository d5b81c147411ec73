// Lower bounds of a plan's exchanges, from their very messages, pair by pair.
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
#include "hal/tick.hpp"
#include "packet/exchange/group.hpp"

namespace toroid {

/// One exchange, over all nodes. All 0 where a stage has none before it.
struct ExchangeBounds {
  Bounds bounds;  ///< hottest_link: of the busiest group of nodes
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
};

/// Several exchanges, each followed by line transforms. They may overlap in time where data allows,
/// so that the whole is bounded by sums over one link or one processor, not by the sum of the
/// bounds.
class TransformBounds {
 public:
  TransformBounds(const Blueprint& blueprint, const Machine& machine, Way way);

  /// Adds the next stage of that way: the exchange that leads to it and its transforms.
  ExchangeBounds add_stage();
  /// Goes on with the first stage of a way, which every node begins when it has ended the last one.
  void begin(Way way);
  /// Of all of it so far.
  Bounds total() const;
  /// The volumetric paper's estimate: exchanges by their mean load at 80 %, and the mean node's
  /// computation without its memory accesses.
  Tick paper_model() const { return paper_model_; }

 private:
  struct Tally;
  struct Ends {
    const Distribution* from;
    const Distribution* to;
    std::uint32_t bytes;  ///< of an element
    PieceRule pieces;
    const StageExchange* exchange;
  };
  Ends ends() const;
  const Stage& stage(std::size_t number) const;
  void tally_group(const Ends& ends, const Group& group, Tally& tally) const;
  void tally_pair(const Ends& ends, const NodeLayout& from, const NodeLayout& to,
                  MessageCost& cost) const;
  ExchangeBounds add_exchange();
  void add_transforms();
  void add_orbital();
  Tick cycles(double bytes) const;
  Tick hottest_link() const;

  const Blueprint* blueprint_;
  Machine machine_;
  Way way_;
  std::size_t next_ = 0;         ///< stage
  LinkLoad load_;                ///< of all exchanges so far
  std::vector<Tick> processor_;  ///< per node, of everything so far
  Bounds largest_;               ///< of any exchange so far
  Tick paper_model_ = 0;
};

}  // namespace toroid
