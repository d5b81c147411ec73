#include "router/sim/horizons.hpp"

#include <algorithm>
#include <utility>

namespace toroid::sim {

Horizons::Horizons(std::vector<std::vector<std::size_t>> neighbours, Tick lookahead)
    : neighbours_(std::move(neighbours)),
      lookahead_(lookahead),
      horizons_(neighbours_.size()),
      phases_(neighbours_.size()),
      bells_(neighbours_.size()) {}

Tick Horizons::bound(std::size_t block) const {
  Tick horizon = kNever;
  for (const std::size_t n : neighbours_[block])
    horizon = std::min(horizon, horizons_[n].value.load());
  horizon = std::max(horizon, floor_.load());
  return std::min(horizon < kNever - lookahead_ ? horizon + lookahead_ : kNever, end_.load());
}

void Horizons::announce(std::size_t block, Tick horizon) {
  horizons_[block].value.store(horizon);
  for (const std::size_t n : neighbours_[block]) bells_[n].ring();
}

void Horizons::end_at(Tick end) {
  for (Tick known = end_.load(); end < known && !end_.compare_exchange_weak(known, end);) continue;
  ring_all();
}

void Horizons::rest(std::size_t block, const Rest& rest) {
  Phase& phase = phases_[block];
  phase.next.store(rest.next, std::memory_order_release);
  phase.sent.store(rest.sent, std::memory_order_release);
  phase.received.store(rest.received, std::memory_order_release);
  phase.number.store(phase.number.load(std::memory_order_relaxed) + 1);
}

void Horizons::wake(std::size_t block) {
  std::atomic<std::uint64_t>& number = phases_[block].number;
  number.store(number.load(std::memory_order_relaxed) + 1);
}

/// The numbers of phases only grow. If their sum is the same in two passes over all blocks, no
/// phase has changed, and all blocks rested at the moment between the passes. Anything sent later
/// is sent at or after the earliest next cycle.
void Horizons::try_jump() {
  std::uint64_t changes = 0;
  std::uint64_t under_way = 0;
  Tick next = kNever;
  for (const Phase& phase : phases_) {
    const std::uint64_t number = phase.number.load();
    if (number % 2 != 0) return;
    changes -= number;
    next = std::min(next, phase.next.load(std::memory_order_acquire));
    under_way +=
        phase.sent.load(std::memory_order_acquire) - phase.received.load(std::memory_order_acquire);
  }
  for (const Phase& phase : phases_) changes += phase.number.load();
  if (changes != 0 || under_way != 0) return;
  Tick known = floor_.load();
  while (known < next && !floor_.compare_exchange_weak(known, next)) continue;
  if (known < next) ring_all();
}

void Horizons::ring_all() {
  for (Doorbell& bell : bells_) bell.ring();
}

}  // namespace toroid::sim
