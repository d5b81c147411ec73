// Events at any time: one slot per cycle for the near future, an ordered map for the far future.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

template <typename T>
class EventWheelOf {
 public:
  EventWheelOf() : slots_(kSlots) {}

  /// REQUIRES: `at` is not before the cycle of the latest advance().
  void schedule(Tick at, const T& event) {
    next_ = std::min(next_, at);
    if (at - now_ >= kSlots) {
      far_[at].push_back(event);
      return;
    }
    slots_[at % kSlots].push_back(event);
    occupied_[at % kSlots / 64] |= std::uint64_t{1} << (at % 64);
  }

  /// The next cycle that has events; kNever if there is none.
  Tick next() const { return next_; }
  /// Advances to cycle `at`, which is at most next(). Swaps the events of that cycle into `events`,
  /// which must be empty.
  void advance(Tick at, std::vector<T>& events) {
    now_ = at;
    if (at == next_) pop_events(events);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(now_, next_, slots_, occupied_, far_);
  }

 private:
  static constexpr Tick kSlots = 2048;  ///< a power of two, longer than most turns
  /// Buffers of events are swapped from slot to slot and reused. A buffer for up to this many
  /// events is always kept, a larger one only while at least a quarter of it is used. So the memory
  /// of a burst (all nodes do the same at once) is freed afterwards.
  static constexpr std::size_t kAlwaysKept = 1024;
  void pop_events(std::vector<T>& events);
  Tick find_next() const;
  Tick next_near() const;

  Tick now_ = 0;
  Tick next_ = kNever;
  std::vector<std::vector<T>> slots_;
  std::array<std::uint64_t, kSlots / 64> occupied_{};
  std::map<Tick, std::vector<T>> far_;
};

template <typename T>
Tick EventWheelOf<T>::next_near() const {
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

template <typename T>
Tick EventWheelOf<T>::find_next() const {
  const Tick near = next_near();
  return far_.empty() ? near : std::min(near, far_.begin()->first);
}

template <typename T>
void EventWheelOf<T>::pop_events(std::vector<T>& events) {
  std::uint64_t& word = occupied_[now_ % kSlots / 64];
  const std::uint64_t bit = std::uint64_t{1} << (now_ % 64);
  if ((word & bit) != 0) {
    std::vector<T>& slot = slots_[now_ % kSlots];
    if (events.capacity() > std::max(kAlwaysKept, 4 * slot.size())) events = std::vector<T>();
    events.swap(slot);
    word &= ~bit;
  }
  if (!far_.empty() && far_.begin()->first == now_) {
    const auto& late = far_.begin()->second;
    events.insert(events.end(), late.begin(), late.end());
    far_.erase(far_.begin());
  }
  next_ = find_next();
}

using EventWheel = EventWheelOf<Event>;

}  // namespace toroid::sim
