// The progress that concurrently running blocks report to each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/threads/doorbell.hpp"

namespace toroid::sim {

/// A block's horizon is the cycle before which it will send no more messages. A message sent at
/// cycle t reaches a neighbour at t + lookahead or later, so that a block may run up to its bound:
/// the earliest horizon of its neighbours plus the lookahead. This is Chandy and Misra's
/// conservative simulation; a horizon is their null message.
///
/// 1. A block puts its messages into its neighbours' mail, then announces its horizon. A block that
///    reads its bound and then its mail finds every message for the cycles before the bound.
/// 2. While nothing happens, horizons would advance in small steps, each by one lookahead past a
///    neighbour's horizon. So a block with nothing to do before its bound rests: it reports the
///    cycle of its next event and how many messages it has sent and received. If all blocks rest at
///    one moment and all messages sent have been received, nothing happens anywhere before the
///    earliest of their next cycles: the floor, which serves as a horizon for all blocks, jumps
///    there.
/// 3. If no block has a next cycle, the floor jumps to kNever: that is how a run ends.
/// 4. After a failure at cycle t no block has to run beyond t: the end is t + 1. A block stops when
///    its horizon has reached the end, and not before, since it may itself fail before t.
///
/// One thread at a time holds a block and calls announce(), rest() and wake() for it. Only the
/// block's own thread calls sleep(). Atomics are sequentially consistent unless noted otherwise:
/// sleeping and resting rely on it.
class Horizons {
 public:
  /// `neighbours`: [block], the neighbours of that block. If a is a neighbour of b, b is one of a.
  Horizons(std::vector<std::vector<std::size_t>> neighbours, Tick lookahead);

  /// The bound of a block: it may run the cycles before the bound, after it has received its mail.
  Tick bound(std::size_t block) const;
  /// Whether the block can announce a later horizon: by running, or because it has nothing to do.
  /// While the run goes on, the block with the earliest horizon always can.
  bool can_go_on(std::size_t block) const { return horizons_[block].value.load() < bound(block); }
  /// The cycle before which the run ends; kNever if no end is known.
  Tick end() const { return end_.load(); }
  /// Whether the run is over for the block.
  bool is_over(std::size_t block) const { return end() <= horizons_[block].value.load(); }
  /// Announces that all messages which the block sends before cycle `horizon` are in the mail. A
  /// block's horizon never decreases.
  void announce(std::size_t block, Tick horizon);
  /// Makes the run end before cycle `end`, unless an earlier end has been set.
  void end_at(Tick end);

  /// The report of a block at rest.
  struct Rest {
    Tick next;               ///< cycle of its next event if it receives no message
    std::uint64_t sent;      ///< messages so far, to all other blocks
    std::uint64_t received;  ///< messages so far, from all other blocks
  };
  /// Reports a block at rest: it will not send, receive or run before wake() is called for it.
  /// Initially no block rests.
  void rest(std::size_t block, const Rest& rest);
  void wake(std::size_t block);
  /// Raises the floor if all blocks rest. Every block that comes to rest must call it, so that the
  /// last one finds all at rest.
  void try_jump();

  /// Called by the block's own thread: sleeps until it can go on, the run is over, or ring() is
  /// called; it may also wake earlier. Does not sleep if ready() returns true.
  template <typename Ready>
  void sleep(std::size_t block, const Ready& ready) {
    Doorbell& bell = bells_[block];
    bell.prepare();
    ready() ? bell.stay_awake() : bell.sleep();
  }
  /// Wakes the block's own thread.
  void ring(std::size_t block) { bells_[block].ring(); }

 private:
  struct alignas(64) Horizon {
    std::atomic<Tick> value{0};
  };
  /// A block's phases alternate between rest (even numbers) and work. The report of a rest is
  /// written with release before its phase begins: a reader that acquires part of a later report
  /// sees that the phase has changed.
  struct alignas(64) Phase {
    std::atomic<std::uint64_t> number{1};
    std::atomic<Tick> next{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};
  };

  void ring_all();

  std::vector<std::vector<std::size_t>> neighbours_;
  Tick lookahead_;
  std::deque<Horizon> horizons_;  ///< [block], like the next two
  std::deque<Phase> phases_;
  std::deque<Doorbell> bells_;
  // Read by all threads, seldom written.
  alignas(64) std::atomic<Tick> floor_{0};  ///< all messages for earlier cycles have been received
  std::atomic<Tick> end_{kNever};
};

}  // namespace toroid::sim
