// Events at any time: one slot per cycle for the near future, an ordered map for the far one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {

class EventWheel {
 public:
  EventWheel() : slots_(kSlots) {}

  /// REQUIRES: `at` is not before the cycle of the last advance().
  void schedule(Tick at, Event event) {
    next_ = std::min(next_, at);
    if (at - now_ >= kSlots) {
      far_[at].push_back(event);
      return;
    }
    slots_[at % kSlots].push_back(event);
    occupied_[at % kSlots / 64] |= std::uint64_t{1} << (at % 64);
  }

  /// The next cycle that has events; kNever where there is none.
  Tick next() const { return next_; }
  /// Moves to a cycle, not past next(), and swaps its events into `events`, which must be empty.
  void advance(Tick at, std::vector<Event>& events) {
    now_ = at;
    if (at == next_) pop_events(events);
  }

 private:
  static constexpr Tick kSlots = 2048;  ///< a power of two above most turns' lengths
  void pop_events(std::vector<Event>& events);
  Tick find_next() const;
  Tick next_near() const;

  Tick now_ = 0;
  Tick next_ = kNever;
  std::vector<std::vector<Event>> slots_;
  std::array<std::uint64_t, kSlots / 64> occupied_{};
  std::map<Tick, std::vector<Event>> far_;
};

}  // namespace toroid::sim
