// What blocks that run at the same time tell each other about time.
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

/// A block's horizon is a cycle before which it has sent all that it will ever send. What a block
/// sends at cycle t reaches a neighbour at t + lookahead or later, so that a block may run up to
/// its bound, the earliest horizon of its neighbours and a lookahead. This is Chandy and Misra's
/// conservative simulation; a horizon is their null message.
///
/// 1. A block puts its messages into its neighbours' mail, then announces the horizon. Who reads a
///    bound and then looks at the mail finds everything that happens before the bound.
/// 2. Where nothing happens, horizons would creep: each moves a lookahead past the other. So who
///    finds nothing to do before its bound comes to rest: it says when it has something to do
///    next, and how many messages it has sent and received. If all blocks rest at one moment and
///    as many messages have been received as sent, nothing happens anywhere before the earliest of
///    their next cycles: the floor jumps there, which serves as everybody's horizon.
/// 3. If none of them has a next cycle, the floor jumps to kNever: that is how a run ends.
/// 4. After a failure at cycle t nobody has to run beyond t: the end is t + 1. A block leaves when
///    its horizon has reached the end, and not before, since it may fail earlier.
///
/// One thread at a time has a block, and it announces, rests and wakes for it. Each block has a
/// thread of its own, which sleeps. Atomics are sequentially consistent where nothing is said:
/// sleeping and resting rely on it.
class Horizons {
 public:
  /// `neighbours`: [block], and each is its neighbours' neighbour.
  Horizons(std::vector<std::vector<std::size_t>> neighbours, Tick lookahead);

  /// The block may run the cycles before this one, when it has received its mail.
  Tick bound(std::size_t block) const;
  /// The block can announce a later horizon than it has: by running, or because it has nothing to
  /// do. As long as the run goes on one of the blocks can, that with the earliest horizon.
  bool can_go_on(std::size_t block) const { return horizons_[block].value.load() < bound(block); }
  /// Cycles from this one on do not matter; kNever: all may.
  Tick end() const { return end_.load(); }
  /// The run is over for the block.
  bool is_over(std::size_t block) const { return end() <= horizons_[block].value.load(); }
  /// Everything that the block sends before this cycle is in the mail; it never goes back.
  void announce(std::size_t block, Tick horizon);
  /// The run ends here, or earlier if that has been said already.
  void end_at(Tick end);

  /// What a block at rest knows.
  struct Rest {
    Tick next;               ///< when something happens in it, if nothing comes from others
    std::uint64_t sent;      ///< messages so far, to all others
    std::uint64_t received;  ///< likewise, from all others
  };
  /// The block will not send, receive or run before it calls wake(). At first no block rests.
  void rest(std::size_t block, const Rest& rest);
  void wake(std::size_t block);
  /// Raises the floor if all blocks rest. Who has come to rest must call it: so the last one finds
  /// all of them.
  void try_jump();

  /// For the block's own thread: sleeps until it can go on or the run is over, or somebody calls
  /// ring(); it may wake earlier. Not if ready() says that there is a reason to be awake.
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
  /// Even phases are rests. What a rest says is written with release before its phase begins: who
  /// has read a part of a later rest with acquire sees that the phase has changed.
  struct alignas(64) Phase {
    std::atomic<std::uint64_t> number{1};
    std::atomic<Tick> next{0};
    std::atomic<std::uint64_t> sent{0};
    std::atomic<std::uint64_t> received{0};
  };

  void ring_all();

  std::vector<std::vector<std::size_t>> neighbours_;
  Tick lookahead_;
  std::deque<Horizon> horizons_;  ///< [block], as what follows
  std::deque<Phase> phases_;
  std::deque<Doorbell> bells_;
  // What all read and few ever write.
  alignas(64) std::atomic<Tick> floor_{
      0};  ///< nothing happens before it that has not been received
  std::atomic<Tick> end_{kNever};
};

}  // namespace toroid::sim
