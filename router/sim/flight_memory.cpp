#include "router/sim/flight_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hal/check.hpp"

namespace toroid::sim {

void FlightMemory::limit(unsigned bits) {
  most_bits_ = std::min(most_bits_, bits);
}

/// Takes the numbers that were returned last, because the memory of their packets is the most
/// likely to be in caches.
void FlightMemory::take(std::span<FlightId, kBatch> batch) {
  const std::lock_guard lock(mutex_);
  if (free_ != kNoFlight) {
    for (std::size_t i = kBatch; i-- > 0; free_ = slots_[free_].flight.next) batch[i] = free_;
    return;
  }
  if ((handed_out_ + kBatch - 1) >> most_bits_ != 0)
    throw RunFailed(fmt::format("more than 2^{} packets in flight at once", most_bits_));
  slots_.room(handed_out_);
  // In reverse order, because a batch is used from its end.
  for (std::size_t i = kBatch; i-- > 0;) batch[i] = handed_out_++;
}

void FlightMemory::give_back(std::span<const FlightId, kBatch> batch) {
  const std::lock_guard lock(mutex_);
  for (const FlightId id : batch) slots_[id].flight.next = std::exchange(free_, id);
}

void FlightMemory::clear() {
  slots_.clear();
  words_.clear();
  full_.clear();
  handed_out_ = 0;
  free_ = kNoFlight;
}

}  // namespace toroid::sim
