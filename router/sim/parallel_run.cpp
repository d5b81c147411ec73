#include "router/sim/parallel_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <utility>

#include "hal/shape.hpp"
#include "router/sim/network.hpp"
#include "router/threads/idle.hpp"
#include "router/threads/start_thread.hpp"

namespace toroid::sim {

Tick lookahead(const Machine& machine) {
  return std::min<Tick>(machine.hop_latency_cycles, machine.wire_cycles(machine.wire_bytes(1)));
}

namespace {

/// Rounds of the first thread between two progress reports.
constexpr unsigned kRoundsPerReport = 64;
/// Rounds of a thread, some milliseconds, between two checks whether threads have lost their cores.
constexpr unsigned kRoundsPerLook = 2048;
/// Rounds that a thread waits before it sleeps, about 100 us: most waits are shorter, and waking a
/// thread costs time on both sides. On a crowded host a thread waits only about 10 us, as long as
/// waking takes.
constexpr unsigned kSpins = 2000;
constexpr unsigned kSpinsInCrowd = 200;

std::vector<Range> ranges_of(const std::deque<Block>& blocks) {
  std::vector<Range> ranges;
  for (const Block& block : blocks) ranges.push_back(block.range());
  return ranges;
}

/// The block of a node. `ranges`: those of all blocks, in ascending order.
std::size_t block_of(const std::vector<Range>& ranges, Rank rank) {
  const auto next = std::ranges::upper_bound(ranges, rank, {}, &Range::first);
  return static_cast<std::size_t>(next - ranges.begin()) - 1;
}

/// [block]: the other blocks to which its nodes' links lead. As links lead both ways, neighbours
/// are mutual.
std::vector<std::vector<std::size_t>> neighbours_of(const Shape& shape,
                                                    const std::vector<Range>& ranges) {
  std::vector<std::set<std::size_t>> sets(ranges.size());
  for (std::size_t block = 0; block < ranges.size(); ++block)
    for (Rank i = 0; i < ranges[block].count; ++i)
      for (unsigned l = 0; l < shape.links(); ++l) {
        const auto next = shape.neighbour(ranges[block].first + i, {static_cast<std::uint8_t>(l)});
        if (next && !ranges[block].has(*next)) sets[block].insert(block_of(ranges, *next));
      }
  std::vector<std::vector<std::size_t>> neighbours;
  for (const auto& set : sets) neighbours.emplace_back(set.begin(), set.end());
  return neighbours;
}

}  // namespace

ParallelRun::ParallelRun(std::deque<Block>& blocks, Tick lookahead, bool spins, Watch watch,
                         CpuAccount* cpu, Tick end)
    : blocks_(blocks),
      watch_(std::move(watch)),
      cpu_(cpu),
      ranges_(ranges_of(blocks)),
      neighbours_(neighbours_of(blocks.front().network().shape().without_failures(), ranges_)),
      horizons_(neighbours_, lookahead),
      mail_(blocks.size() * blocks.size()),
      spins_(spins),
      errors_(blocks.size()) {
  connect();
  horizons_.end_at(end);
}

void ParallelRun::connect() {
  for (std::size_t from = 0; from < blocks_.size(); ++from)
    for (const std::size_t to : neighbours_[from])
      mail_[from * blocks_.size() + to] = std::make_unique<Mail>();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    outboxes_.emplace_back(ranges_, mail_from(b));
    runners_.emplace_back(b, blocks_[b], mail_to(b), outboxes_[b], horizons_);
  }
}

/// [other block]: the mail from `block` to it; null if it is not a neighbour.
std::vector<Mail*> ParallelRun::mail_from(std::size_t block) const {
  std::vector<Mail*> mail;
  for (std::size_t to = 0; to < blocks_.size(); ++to)
    mail.push_back(mail_[block * blocks_.size() + to].get());
  return mail;
}

/// The mail to a block, from its neighbours only.
std::vector<Mail*> ParallelRun::mail_to(std::size_t block) const {
  std::vector<Mail*> mail;
  for (const std::size_t from : neighbours_[block])
    mail.push_back(mail_[from * blocks_.size() + block].get());
  return mail;
}

void ParallelRun::run() {
  std::latch go(1);
  std::atomic<bool> cancelled{false};  // relaxed, because the latch orders its accesses
  std::vector<std::jthread> threads;
  try {
    for (std::size_t b = 1; b < blocks_.size(); ++b)
      threads.push_back(start_thread(fmt::format("thread {}", b), [this, b, &go, &cancelled] {
        const CpuShare counted(cpu_);
        go.wait();
        if (!cancelled.load(std::memory_order_relaxed)) work(b);
      }));
  } catch (...) {
    cancelled.store(true, std::memory_order_relaxed);
    go.count_down();
    throw;
  }
  go.count_down();
  work(0);
  threads.clear();
  for (const std::exception_ptr& error : errors_)
    if (error) std::rethrow_exception(error);
  for (BlockRunner& runner : runners_) runner.receive();
}

/// An exception that ends a thread ends all threads at once. (A node's failure does not come here.)
void ParallelRun::work(std::size_t block) {
  try {
    go_on(block);
  } catch (...) {
    errors_[block] = std::current_exception();
    horizons_.end_at(0);
  }
}

/// A thread keeps its block while it spins, so that blocks do not move between cores needlessly.
void ParallelRun::go_on(std::size_t own) {
  BlockRunner& runner = runners_[own];
  bool has_own = false;
  unsigned waited = 0;
  long lost = 0;
  for (unsigned round = 0; !horizons_.is_over(own); ++round) {
    if (own == 0 && round % kRoundsPerReport == 0) report_progress();
    if (round % kRoundsPerLook == 0) crowding_.look(lost);
    has_own = has_own || runner.try_take();
    if ((has_own && runner.try_round()) || try_to_help(own)) {
      waited = 0;
    } else if (waited++ < spins()) {
      Idle::relax();
    } else {
      if (std::exchange(has_own, false)) give_back(own);
      sleep(own);
    }
  }
}

unsigned ParallelRun::spins() const {
  if (!spins_) return 0;
  return crowding_.is_crowded() ? kSpinsInCrowd : kSpins;
}

/// Runs a round of another block, if some block can go on and is not taken. Returns whether it did.
bool ParallelRun::try_to_help(std::size_t own) {
  for (std::size_t i = 1; i < blocks_.size(); ++i) {
    const std::size_t block = (own + i) % blocks_.size();
    if (runners_[block].is_taken() || !horizons_.can_go_on(block)) continue;
    if (!runners_[block].try_take()) continue;
    const bool helped = runners_[block].try_round();
    give_back(block);
    if (helped) return true;
  }
  return false;
}

/// Releases a block and wakes the block's own thread if there is something for it: that thread may
/// sleep because the block was taken.
void ParallelRun::give_back(std::size_t block) {
  runners_[block].release();
  if (horizons_.can_go_on(block) || horizons_.is_over(block)) horizons_.ring(block);
}

void ParallelRun::sleep(std::size_t own) {
  horizons_.sleep(own, [this, own] {
    return horizons_.is_over(own) || (horizons_.can_go_on(own) && !runners_[own].is_taken());
  });
}

void ParallelRun::report_progress() {
  Block::Counts all;
  for (const BlockRunner& runner : runners_) {
    const Block::Counts counts = runner.counts();
    all.end = std::max(all.end, counts.end);
    all.events += counts.events;
    all.delivered += counts.delivered;
  }
  watch_(all);
}

std::uint64_t ParallelRun::rounds() const {
  std::uint64_t rounds = 0;
  for (const BlockRunner& runner : runners_) rounds += runner.rounds();
  return rounds;
}

}  // namespace toroid::sim
