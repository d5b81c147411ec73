// Several blocks at once, each on a thread of its own, in conservative windows.
//
// Nothing that happens in a block at cycle t reaches another before t + L: a header takes the hop
// latency, and tokens return with a tail, whose time is known when reading begins, at least the
// shortest packet's wire cycles before. So all blocks can go through [T, T + L) independently, T
// being the next cycle in which something happens anywhere; then they exchange what they have for
// each other. Chandy and Misra's lookahead, with a barrier instead of null messages.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <vector>

#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "router/sim/block.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// The cycles that blocks can go ahead of each other: at least 1.
Tick lookahead(const Machine& machine);

/// Threads meet here, round after round.
class Meeting {
 public:
  /// `spins`: each of them has a core to itself.
  Meeting(unsigned threads, bool spins) : threads_(threads), spins_(spins) {}
  /// What threads did before it happened before whatever any of them does after it.
  void wait();

 private:
  unsigned threads_;
  bool spins_;
  // Acquire and release by all who arrive; the last one's release of round_ pairs with the others'
  // acquire.
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

class Windows {
 public:
  /// `watch` is called by the calling thread between windows, with what all blocks have counted; it
  /// may throw.
  using Watch = std::function<void(const Block::Counts&)>;
  Windows(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch);

  /// Until nothing is left to happen, or a node has failed. Throws what `watch` throws, RunFailed
  /// where threads cannot be started.
  void run();

 private:
  /// What a block tells the others at a meeting.
  struct alignas(64) Report {
    Tick next;  ///< when something happens next, in the block or by what it has sent
    bool ends;  ///< the run cannot go on
    Block::Counts counts;
  };
  /// What is written in one window is read in the next, while the other side is written.
  struct Side {
    std::vector<Outbox> outboxes;  ///< [from block]
    std::vector<Report> reports;   ///< [block]
  };

  void work(std::size_t block);
  void tell(std::size_t block, Side& side);
  bool go_on(const Side& side, Tick& start) const;
  void look(const Side& side);
  void go_through(std::size_t block, Tick start, const Side& read, Side& write);

  std::deque<Block>& blocks_;
  Tick lookahead_;
  Watch watch_;
  Meeting meeting_;
  std::vector<Range> ranges_;
  std::array<Side, 2> sides_;
  std::vector<std::exception_ptr>
      errors_;  ///< [block]: what ended its thread, not a node's failure
};

}  // namespace toroid::sim
