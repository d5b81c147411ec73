#include "router/sim/windows.hpp"

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
#include "router/shm/idle.hpp"
#include "router/sim/block.hpp"
#include "router/sim/event.hpp"
#include "router/sim/network.hpp"
#include "router/sim/outbox.hpp"

namespace toroid::sim {

Tick lookahead(const Machine& machine) {
  return std::min<Tick>(machine.hop_latency_cycles, machine.wire_cycles(machine.wire_bytes(1)));
}

void Meeting::wait() {
  const unsigned round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  for (ring::Idle idle(spins_); round_.load(std::memory_order_acquire) == round;) idle.wait();
}

Windows::Windows(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch)
    : blocks_(blocks),
      lookahead_(lookahead),
      watch_(std::move(watch)),
      meeting_(static_cast<unsigned>(blocks.size()), spins),
      errors_(blocks.size()) {
  for (const Block& block : blocks) ranges_.push_back(block.range());
  for (Side& side : sides_) {
    side.outboxes.assign(blocks.size(), Outbox(ranges_));
    side.reports.resize(blocks.size());
  }
}

void Windows::run() {
  std::latch go(1);
  std::atomic<bool> cancelled{false};  // relaxed: the latch orders it
  std::vector<std::jthread> threads;
  try {
    for (std::size_t b = 1; b < blocks_.size(); ++b)
      threads.emplace_back([this, b, &go, &cancelled] {
        go.wait();
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

/// All threads see the same reports, so that all leave in the same round.
void Windows::work(std::size_t block) {
  for (std::size_t round = 0;; ++round) {
    Side& read = sides_[round % 2];
    tell(block, read);
    meeting_.wait();
    Tick start = kNever;
    if (!go_on(read, start)) return;
    try {
      go_through(block, start, read, sides_[(round + 1) % 2]);
    } catch (...) {
      errors_[block] = std::current_exception();
    }
  }
}

void Windows::go_through(std::size_t block, Tick start, const Side& read, Side& write) {
  if (block == 0) look(read);
  write.outboxes[block].clear();
  Network& network = blocks_[block].network();
  network.leave_through(write.outboxes[block]);
  for (const Outbox& outbox : read.outboxes) network.schedule(outbox.to_block(block));
  blocks_[block].run(start + lookahead_, ~std::uint64_t{0});
}

void Windows::tell(std::size_t block, Side& side) {
  const Block& own = blocks_[block];
  side.reports[block] = {std::min(own.next(), side.outboxes[block].earliest()),
                         own.failure().has_value() || errors_[block] != nullptr, own.counts()};
}

/// False: nothing is left to happen, or one of the blocks cannot go on.
bool Windows::go_on(const Side& side, Tick& start) const {
  bool ends = false;
  for (const Report& report : side.reports) {
    start = std::min(start, report.next);
    ends |= report.ends;
  }
  return !ends && start != kNever;
}

void Windows::look(const Side& side) {
  Block::Counts all;
  for (const Report& report : side.reports) {
    all.end = std::max(all.end, report.counts.end);
    all.events += report.counts.events;
    all.delivered += report.counts.delivered;
  }
  watch_(all);
}

}  // namespace toroid::sim
