// Links and nodes that fail in the course of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hal/counters.hpp"
#include "hal/failures.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/block.hpp"

namespace toroid::sim {

/// Those that are listed, and links with more errors than their limit.
///
/// **When:** a run in which something may fail goes in segments, before one of which it fails: so
/// results depend on the number of threads no more than those of other runs. Errors are looked at
/// every kWatchCycles, as a machine's control system does.
/// **What:** a link that fails takes no packet any more; one that it has begun to send, or holds
/// for a repeat, arrives. A node that fails is left by what its links have begun to send, and by
/// nothing else. A packet whose ways are all cut is taken out of the network, and counted.
///
/// The fabric owns it and calls it between segments, on one thread.
class Deaths {
 public:
  static constexpr Tick kWatchCycles = 10'000;

  /// `error_limit`: of a link; 0: none.
  Deaths(const Shape& shape, std::uint64_t error_limit);

  /// Whether anything may fail. If nothing may, nothing else is called.
  bool may_happen() const { return failures_ != nullptr; }
  /// The machine whose failures these are.
  const Shape& shape() const { return shape_; }

  /// The next cycle in which something may fail; kNever: nothing may any more.
  Tick due() const;
  /// Lets fail what does so then. `next`: the next cycle in which something happens, not before
  /// due().
  void happen(std::deque<Block>& blocks, Tick next);

  /// Adds what has failed, and the packets that were lost.
  void add_to(FabricCounters& counters, const std::deque<Block>& blocks) const;

 private:
  void let_die(std::deque<Block>& blocks, const Death& death);
  void look_at_links(std::deque<Block>& blocks, Tick now);

  Shape shape_;
  std::uint64_t error_limit_;
  std::shared_ptr<Failures> failures_;  ///< null: nothing fails in the course of the run
  std::size_t listed_ = 0;              ///< deaths of the list that have happened
  Tick next_look_ = kWatchCycles;       ///< at links' errors
  std::vector<Death> happened_;
};

}  // namespace toroid::sim
