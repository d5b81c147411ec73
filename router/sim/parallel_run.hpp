// A run of several blocks at once, each on a thread of its own, in conservative windows.
//
// Nothing that happens in a block at cycle t reaches another before t + L: a header takes the hop
// latency, and tokens return with a tail, whose time is known when reading begins, at least the
// shortest packet's wire cycles before. So all blocks can go through [T, T + L) independently, T
// being the next cycle in which something happens anywhere; then they exchange what they have for
// each other. This is Chandy and Misra's lookahead, with a barrier instead of null messages.
#pragma once

#include <array>
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
#include "router/threads/cpu_account.hpp"
#include "router/threads/thread_barrier.hpp"

namespace toroid::sim {

/// The cycles that blocks can go ahead of each other: at least 1.
Tick lookahead(const Machine& machine);

/// Made and run by the fabric's thread, which runs block 0.
///
/// Protocol, in every round: each thread publishes its block's status, waits at the barrier, and
/// decides from all statuses, which are the same for everybody, whether and where the next window
/// begins. In the window it reads what the others sent in the last one and writes what it sends.
class ParallelRun {
 public:
  /// Is called by the calling thread between windows, with what all blocks have counted; may throw.
  using Watch = std::function<void(const Block::Counts&)>;
  /// `spins`: each thread has a core to itself. `cpu`: where the threads that it starts count their
  /// time; null: nowhere.
  ParallelRun(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch, CpuAccount* cpu);

  /// Returns when nothing is left to happen, or a node has failed. Throws what `watch` throws, and
  /// RunFailed if threads cannot be started.
  void run();

 private:
  /// What a block tells the others before the barrier.
  struct alignas(64) Status {
    Tick next;  ///< when something happens next, in the block or by what it has sent
    bool ends;  ///< the run cannot go on
    Block::Counts counts;
  };
  /// What is written in one window and read in the next, while the other one is written.
  struct Exchange {
    std::vector<Outbox> outboxes;  ///< [from block]
    std::vector<Status> statuses;  ///< [block]
  };

  void work(std::size_t block);
  void publish_status(std::size_t block, Exchange& exchange);
  bool find_next_window(const Exchange& exchange, Tick& start) const;
  void report_progress(const Exchange& exchange);
  void run_window(std::size_t block, Tick start, const Exchange& read, Exchange& write);

  std::deque<Block>& blocks_;
  Tick lookahead_;
  Watch watch_;
  CpuAccount* cpu_;
  ThreadBarrier barrier_;
  std::vector<Range> ranges_;          ///< [block]
  std::array<Exchange, 2> exchanges_;  ///< of even and of odd rounds
  std::vector<std::exception_ptr>
      errors_;  ///< [block]: what ended its thread, but a node's failure
};

}  // namespace toroid::sim
