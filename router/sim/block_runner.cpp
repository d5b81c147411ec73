#include "router/sim/block_runner.hpp"

#include <algorithm>
#include <utility>

#include "router/sim/event.hpp"
#include "router/sim/network.hpp"

namespace toroid::sim {
namespace {

/// A round ends after this many events (some microseconds) even if the block has more to do,
/// because neighbours may wait for its next announcement.
constexpr std::uint64_t kEventsPerRound = 128;
/// A block rests after this many rounds without events: the next small steps of horizons are then
/// unlikely to bring it work.
constexpr unsigned kEmptyRounds = 2;

}  // namespace

BlockRunner::BlockRunner(std::size_t number, Block& block, std::vector<Mail*> inbox, Outbox& outbox,
                         Horizons& horizons)
    : number_(number),
      block_(block),
      inbox_(std::move(inbox)),
      outbox_(outbox),
      horizons_(horizons) {
  block_.network().leave_through(outbox_);
}

bool BlockRunner::try_round() {
  const Tick bound = horizons_.bound(number_);
  if (bound <= horizon_) return false;
  receive();
  const bool runs = block_.next() < bound;
  if (runs) run(bound);
  announce(reached(bound));
  // A block whose horizon is kNever rests at once: if it has no neighbours, it gets no other round.
  if (horizon_ == kNever || (!runs && ++empty_rounds_ >= kEmptyRounds)) rest();
  return true;
}

void BlockRunner::receive() {
  for (std::size_t from = 0; from < inbox_.size(); ++from)
    for (Mail& mail = *inbox_[from]; !mail.empty(); mail.pop()) {
      wake();
      block_.network().schedule(mail.front(), from);
      ++received_;
    }
}

/// If a node fails, every block still runs through the cycle of the failure: another node may have
/// failed earlier, or in the same cycle.
void BlockRunner::run(Tick bound) {
  wake();
  empty_rounds_ = 0;
  block_.run(bound, block_.counts().events + kEventsPerRound);
  if (block_.failure()) horizons_.end_at(block_.failure()->at + 1);
}

/// The block's horizon: it will send nothing more before this cycle.
Tick BlockRunner::reached(Tick bound) const {
  return block_.failure() ? block_.failure()->at + 1 : std::min(bound, block_.next());
}

void BlockRunner::announce(Tick horizon) {
  sent_ += outbox_.post();
  horizon_ = horizon;
  horizons_.announce(number_, horizon);
  ++rounds_;
  end_.store(block_.counts().end, std::memory_order_relaxed);
  events_.store(block_.counts().events, std::memory_order_relaxed);
  delivered_.store(block_.counts().delivered, std::memory_order_relaxed);
}

void BlockRunner::rest() {
  if (!std::exchange(rests_, true)) horizons_.rest(number_, {block_.next(), sent_, received_});
  horizons_.try_jump();
}

void BlockRunner::wake() {
  if (std::exchange(rests_, false)) horizons_.wake(number_);
}

Block::Counts BlockRunner::counts() const {
  return {end_.load(std::memory_order_relaxed), events_.load(std::memory_order_relaxed),
          delivered_.load(std::memory_order_relaxed)};
}

}  // namespace toroid::sim
