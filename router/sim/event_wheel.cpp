#include "router/sim/event_wheel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

Tick EventWheel::next_near() const {
  constexpr std::size_t kWords = kSlots / 64;
  const std::size_t slot = now_ % kSlots;
  std::uint64_t word = occupied_[slot / 64] & (~std::uint64_t{0} << (slot % 64));
  for (std::size_t i = 0; i <= kWords; ++i) {
    const std::size_t w = (slot / 64 + i) % kWords;
    if (i > 0) word = occupied_[w];
    if (word == 0) continue;
    const Tick found = w * 64 + static_cast<unsigned>(std::countr_zero(word));
    return now_ + (found + kSlots - slot) % kSlots;
  }
  return kNever;
}

Tick EventWheel::find_next() const {
  const Tick near = next_near();
  return far_.empty() ? near : std::min(near, far_.begin()->first);
}

void EventWheel::pop_events(std::vector<Event>& events) {
  std::uint64_t& word = occupied_[now_ % kSlots / 64];
  const std::uint64_t bit = std::uint64_t{1} << (now_ % 64);
  if ((word & bit) != 0) {
    events.swap(slots_[now_ % kSlots]);
    word &= ~bit;
  }
  if (!far_.empty() && far_.begin()->first == now_) {
    const auto& late = far_.begin()->second;
    events.insert(events.end(), late.begin(), late.end());
    far_.erase(far_.begin());
  }
  next_ = find_next();
}

}  // namespace toroid::sim
