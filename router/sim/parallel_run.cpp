#include "router/sim/parallel_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"
#include "router/sim/block.hpp"
#include "router/sim/event.hpp"
#include "router/sim/network.hpp"
#include "router/sim/outbox.hpp"
#include "router/threads/cpu_account.hpp"

namespace toroid::sim {

Tick lookahead(const Machine& machine) {
  return std::min<Tick>(machine.hop_latency_cycles, machine.wire_cycles(machine.wire_bytes(1)));
}

ParallelRun::ParallelRun(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch,
                         CpuAccount* cpu)
    : blocks_(blocks),
      lookahead_(lookahead),
      watch_(std::move(watch)),
      cpu_(cpu),
      barrier_(static_cast<unsigned>(blocks.size()), spins),
      errors_(blocks.size()) {
  for (const Block& block : blocks) ranges_.push_back(block.range());
  for (Exchange& exchange : exchanges_) {
    exchange.outboxes.assign(blocks.size(), Outbox(ranges_));
    exchange.statuses.resize(blocks.size());
  }
}

void ParallelRun::run() {
  std::latch go(1);
  std::atomic<bool> cancelled{false};  // relaxed: the latch orders it
  std::vector<std::jthread> threads;
  try {
    for (std::size_t b = 1; b < blocks_.size(); ++b)
      threads.emplace_back([this, b, &go, &cancelled] {
        go.wait();
        const CpuShare counted(cpu_);
        if (!cancelled.load(std::memory_order_relaxed)) work(b);
      });
  } catch (const std::exception& error) {
    cancelled.store(true, std::memory_order_relaxed);
    go.count_down();
    throw RunFailed(fmt::format("cannot start thread {}: {}", threads.size() + 1, error.what()));
  }
  go.count_down();
  work(0);
  threads.clear();
  for (const std::exception_ptr& error : errors_)
    if (error) std::rethrow_exception(error);
}

/// All threads see the same statuses, so that all leave in the same round.
void ParallelRun::work(std::size_t block) {
  for (std::size_t round = 0;; ++round) {
    Exchange& read = exchanges_[round % 2];
    publish_status(block, read);
    barrier_.arrive_and_wait();
    Tick start = kNever;
    if (!find_next_window(read, start)) return;
    try {
      run_window(block, start, read, exchanges_[(round + 1) % 2]);
    } catch (...) {
      errors_[block] = std::current_exception();
    }
  }
}

void ParallelRun::run_window(std::size_t block, Tick start, const Exchange& read, Exchange& write) {
  if (block == 0) report_progress(read);
  write.outboxes[block].clear();
  Network& network = blocks_[block].network();
  network.leave_through(write.outboxes[block]);
  for (const Outbox& outbox : read.outboxes) network.schedule(outbox.to_block(block));
  blocks_[block].run(start + lookahead_, ~std::uint64_t{0});
}

void ParallelRun::publish_status(std::size_t block, Exchange& exchange) {
  const Block& own = blocks_[block];
  exchange.statuses[block] = {std::min(own.next(), exchange.outboxes[block].earliest()),
                              own.failure().has_value() || errors_[block] != nullptr, own.counts()};
}

/// False: nothing is left to happen, or one of the blocks cannot go on.
bool ParallelRun::find_next_window(const Exchange& exchange, Tick& start) const {
  bool ends = false;
  for (const Status& status : exchange.statuses) {
    start = std::min(start, status.next);
    ends |= status.ends;
  }
  return !ends && start != kNever;
}

void ParallelRun::report_progress(const Exchange& exchange) {
  Block::Counts all;
  for (const Status& status : exchange.statuses) {
    all.end = std::max(all.end, status.counts.end);
    all.events += status.counts.events;
    all.delivered += status.counts.delivered;
  }
  watch_(all);
}

}  // namespace toroid::sim
