// When what happens: delay lines for what the hardware does, which always takes one of a few times,
// and an ordered map for what processors do, which takes any time.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "hal/machine.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event_wheel.hpp"

namespace toroid::sim {

class Calendar {
 public:
  explicit Calendar(const Machine& machine);

  /// A header reaches the next router.
  void after_hop(Tick now, Event event) { hop_.push(now, event); }
  /// The tail of a packet of so many chunks has passed.
  void after_wire(Tick now, unsigned chunks, Event event) { wire_[chunks - 1].push(now, event); }
  /// REQUIRES: at is past the present cycle.
  void at(Tick when, Event event) { wheel_.schedule(when, event); }

  /// Moves to the next cycle in which something happens; none: nothing is left.
  std::optional<Tick> advance();
  /// visit(event) for everything of the present cycle.
  template <typename Visit, typename Prefetch>
  void for_each(Tick now, const Visit& visit, const Prefetch& prefetch) {
    drain(hop_, now, visit, prefetch);
    for (DelayLine& line : wire_) drain(line, now, visit, prefetch);
    for (const Event event : irregular_) visit(event);
    irregular_.clear();
  }

 private:
  static constexpr std::size_t kAhead = 6;  ///< events between fetching data and using it
  template <typename Visit, typename Prefetch>
  static void drain(DelayLine& line, Tick now, const Visit& visit, const Prefetch& prefetch) {
    while (!line.empty() && line.next() == now) {
      prefetch(line.peek(kAhead));
      visit(line.pop());
    }
  }

  DelayLine hop_;
  std::vector<DelayLine> wire_;  ///< [chunks - 1]
  EventWheel wheel_;
  std::vector<Event> irregular_;  ///< of the present cycle
};

}  // namespace toroid::sim
