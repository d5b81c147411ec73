// Links and nodes that fail during a run.
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

/// The failures that the shape lists, and links that fail because they have too many errors.
///
/// **When:** a run with possible failures is divided into segments, and failures happen between
/// them, so that results do not depend on the number of threads. Errors are checked every
/// kWatchCycles, as a machine's control system does.
/// **What:** a failed link takes no more packets, but a packet that it has begun to send, or holds
/// for a repeat, still arrives. A failed node sends no more packets, except those that its links
/// have begun to send. A packet with no path left is removed from the network and counted.
///
/// The fabric owns it and calls it between segments, on one thread.
class Deaths {
 public:
  static constexpr Tick kWatchCycles = 10'000;

  /// `error_limit`: a link with more errors than this fails; 0 if there is no limit.
  Deaths(const Shape& shape, std::uint64_t error_limit);

  /// Whether anything may fail. If not, only shape() may be called.
  bool may_happen() const { return failures_ != nullptr; }
  /// The machine with these failures.
  const Shape& shape() const { return shape_; }

  /// The next cycle in which something may fail; kNever if nothing can fail any more.
  Tick due() const;
  /// Lets the failures of cycle due() happen. `next`: the next cycle with an event, not before
  /// due().
  void happen(std::deque<Block>& blocks, Tick next);

  /// Adds the failures and the lost packets.
  void add_to(FabricCounters& counters, const std::deque<Block>& blocks) const;

 private:
  void let_die(std::deque<Block>& blocks, const Death& death);
  void look_at_links(std::deque<Block>& blocks, Tick now);

  Shape shape_;
  std::uint64_t error_limit_;
  std::shared_ptr<Failures> failures_;  ///< null if nothing can fail during the run
  std::size_t listed_ = 0;              ///< number of listed deaths that have happened
  Tick next_look_ = kWatchCycles;       ///< the next check of links' errors
  std::vector<Death> happened_;
};

}  // namespace toroid::sim
