#include "router/sim/flight_store.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>

#include "hal/check.hpp"
#include "router/sim/flight.hpp"

namespace toroid::sim {

void FlightStore::limit(unsigned bits) {
  most_bits_ = std::min(most_bits_, bits);
}

/// The numbers that came back last are the ones that caches know best.
void FlightStore::take(std::span<FlightId, kBatch> batch) {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    std::ranges::copy(std::span(free_).last(kBatch), batch.begin());
    free_.resize(free_.size() - kBatch);
    return;
  }
  if ((handed_out_ + kBatch - 1) >> most_bits_ != 0)
    throw RunFailed(fmt::format("more than 2^{} packets under way at once", most_bits_));
  slots_.room(handed_out_);
  // From behind: a batch is used from its end.
  for (std::size_t i = kBatch; i-- > 0;) batch[i] = handed_out_++;
}

void FlightStore::give_back(std::span<const FlightId, kBatch> batch) {
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), batch.begin(), batch.end());
}

}  // namespace toroid::sim
