// Lower bounds of a transform's exchanges, from their very messages, pair by pair.
#pragma once

#include "fft/link_load.hpp"
#include "fft/volumetric_phases.hpp"
#include "hal/bounds.hpp"

namespace toroid {

/// One exchange, over all nodes; cycles. All 0 where a phase has none.
struct ExchangeBounds {
  Tick hottest_link = 0;  ///< of the busiest group of nodes
  Tick injection = 0;     ///< of the busiest node
  Tick processor = 0;     ///< of the busiest node
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
  Tick max() const { return std::max({hottest_link, injection, processor}); }
};

/// Several exchanges, each followed by line transforms. They may overlap in time where data allows,
/// so that the whole is bounded by sums over one link or one processor, not by the sum of the
/// bounds.
class TransformBounds {
 public:
  TransformBounds(const Decomposition& decomposition, const Machine& machine);

  /// Adds a phase: its exchange and the transforms after it.
  ExchangeBounds add(const VolumetricPhase& phase);
  /// Cycles that all of it takes at least.
  Tick total() const;
  /// The links' share of that.
  Tick hottest_link() const;
  /// The paper's estimate: exchanges by their mean load at 80 %, and the mean node's computation.
  Tick paper_model() const { return paper_model_; }

 private:
  struct Tally;
  void tally_group(const Exchange& exchange, const Group& group, Tally& tally) const;
  ExchangeBounds add_exchange(const Exchange& exchange);
  void add_transforms(const VolumetricPhase& phase);
  MessageCost cost(const Transfer& transfer) const;
  Tick cycles(double bytes) const;

  const Decomposition* decomposition_;
  Machine machine_;
  LinkLoad load_;                ///< of all exchanges so far
  std::vector<Tick> processor_;  ///< per node, of everything so far
  Tick longest_exchange_ = 0;
  Tick hottest_exchange_ = 0;
  Tick paper_model_ = 0;
};

}  // namespace toroid
