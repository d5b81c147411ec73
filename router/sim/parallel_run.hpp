// Runs several blocks at once, each on its own thread; a block waits for its neighbours only.
//
// An event of a block at cycle t cannot affect another block before t + L; L is the lookahead. A
// header takes the hop latency. Tokens return when a tail leaves. That time is known when reading
// begins, which is earlier by at least the wire cycles of the shortest packet. So a block may run
// until it is L ahead of its slowest neighbour; horizons.hpp has the protocol. This also bounds the
// mail: for a block that is behind, at most the messages that its neighbours send in 2 L cycles are
// stored.
//
// Each thread has its own block. While a thread sleeps, other threads may run its block. So on a
// busy host, where a woken thread has to wait for a core, a thread that has a core can run all
// blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "router/sim/block.hpp"
#include "router/sim/block_runner.hpp"
#include "router/sim/event.hpp"
#include "router/sim/horizons.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/outbox.hpp"
#include "router/threads/core_contention.hpp"
#include "router/threads/cpu_account.hpp"

namespace toroid::sim {

/// The lookahead L: the number of cycles by which a block may run ahead of its neighbours; at least
/// 1.
Tick lookahead(const Machine& machine);

/// Created and run by the fabric's thread, which runs the first block.
class ParallelRun {
 public:
  /// Called between rounds, by the thread that called run(), with the approximate sum of all
  /// blocks' counts. May throw.
  using Watch = std::function<void(const Block::Counts&)>;
  /// `blocks`: all blocks of the machine, in ascending order and already started. `spins`: each
  /// thread has a core to itself. `cpu`: the threads that run() starts add their CPU time to it;
  /// null if it is not wanted. `end`: only the cycles before it are run.
  ParallelRun(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch, CpuAccount* cpu,
              Tick end = kNever);

  /// Returns when nothing is left to happen before the end, or when a node has failed: then every
  /// block has run through the cycle of the earliest failure, or has a failure of its own. Events
  /// at the end or later stay scheduled in the blocks. Throws what `watch` throws, and RunFailed if
  /// threads cannot be started.
  void run();
  /// The number of rounds, summed over all blocks.
  std::uint64_t rounds() const;

 private:
  void connect();
  void work(std::size_t block);
  void go_on(std::size_t own);
  bool try_to_help(std::size_t own);
  void give_back(std::size_t block);
  void sleep(std::size_t own);
  unsigned spins() const;
  void report_progress();
  std::vector<Mail*> mail_from(std::size_t block) const;
  std::vector<Mail*> mail_to(std::size_t block) const;

  std::deque<Block>& blocks_;
  Watch watch_;
  CpuAccount* cpu_;
  std::vector<Range> ranges_;                         ///< [block]
  std::vector<std::vector<std::size_t>> neighbours_;  ///< [block]
  Horizons horizons_;
  std::vector<std::unique_ptr<Mail>> mail_;  ///< [from · blocks + to]; null if the two blocks are
                                             ///< not neighbours
  std::deque<Outbox> outboxes_;              ///< [block]
  std::deque<BlockRunner> runners_;          ///< [block]
  bool spins_;
  CoreContention crowding_;
  std::vector<std::exception_ptr> errors_;  ///< [block]: the exception that ended the block's
                                            ///< thread; failures of nodes are not here
};

}  // namespace toroid::sim
