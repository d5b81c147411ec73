// A run of several blocks at once, each on a thread of its own, which waits for its neighbours
// only.
//
// Nothing that happens in a block at cycle t reaches another before t + L: a header takes the hop
// latency, and tokens return with a tail, whose time is known when reading begins, at least the
// shortest packet's wire cycles before. So a block may go on until it is L ahead of the slowest of
// its neighbours; horizons.hpp has the protocol. It also bounds the mail: a block that is behind
// has at most what its neighbours send in 2 L cycles.
//
// Each thread has a block of its own. While it sleeps, others may run its block: on a busy host,
// where a thread that is woken waits for a core, whichever thread has one carries all blocks on.
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
#include "router/threads/cpu_account.hpp"
#include "router/threads/crowding.hpp"

namespace toroid::sim {

/// The cycles that blocks can go ahead of each other: at least 1.
Tick lookahead(const Machine& machine);

/// Made and run by the fabric's thread, whose block is the first.
class ParallelRun {
 public:
  /// Is called by the calling thread between rounds, with about what all blocks have
  /// counted; may throw.
  using Watch = std::function<void(const Block::Counts&)>;
  /// `blocks`: ascending, all nodes of the machine, started. `spins`: each thread has a core to
  /// itself. `cpu`: where the threads that it starts count their time; null: nowhere. `end`: only
  /// the cycles before it are run.
  ParallelRun(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch, CpuAccount* cpu,
              Tick end = kNever);

  /// Returns when nothing is left to happen before the end, or a node has failed: then every block
  /// has gone through the cycle of the earliest failure, or has a failure of its own. What happens
  /// from the end on, the blocks know. Throws what `watch` throws, and RunFailed if threads cannot
  /// be started.
  void run();
  /// The rounds of all blocks together.
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
  std::vector<std::unique_ptr<Mail>> mail_;  ///< [from · blocks + to]; null: no neighbours
  std::deque<Outbox> outboxes_;              ///< [block]
  std::deque<BlockRunner> runners_;          ///< [block]
  bool spins_;
  Crowding crowding_;
  std::vector<std::exception_ptr>
      errors_;  ///< [block]: what ended its thread, but a node's failure
};

}  // namespace toroid::sim
