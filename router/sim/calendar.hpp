// When what happens: delay lines for what the hardware does, which always takes one of a few times,
// and a wheel for what processors do, which takes any time.
#pragma once

#include <bit>
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
  void after_wire(Tick now, unsigned chunks, Event event) {
    wire_[chunks - 1].push(now, event);
    wires_used_ |= 1u << (chunks - 1);
  }
  /// REQUIRES: at is past the present cycle.
  void at(Tick when, Event event) { wheel_.schedule(when, event); }

  Tick hop_cycles() const { return hop_.delay(); }
  /// Cycles that a packet of so many chunks keeps a link busy.
  Tick wire_cycles(unsigned chunks) const { return wire_[chunks - 1].delay(); }

  /// The next cycle in which something happens; kNever: nothing is left.
  Tick next() const;
  /// Moves to next().
  void advance(Tick next) { wheel_.take(next, irregular_); }
  /// Shows everything of the present cycle to the handler: arrive(), tail_passed() or irregular(),
  /// by how it was scheduled. Its prefetch functions see events of delay lines a little earlier.
  template <typename Handler>
  void for_each(Tick now, Handler& handler) {
    for (; hop_.next() == now; handler.arrive(hop_.pop()))
      handler.prefetch_arrive(hop_.peek(kAhead));
    for (unsigned rest = wires_used_; rest != 0; rest &= rest - 1) {
      DelayLine& line = wire_[static_cast<unsigned>(std::countr_zero(rest))];
      for (; line.next() == now; handler.tail_passed(line.pop()))
        handler.prefetch_tail(line.peek(kAhead));
    }
    for (const Event event : irregular_) handler.irregular(event);
    irregular_.clear();
  }

 private:
  static constexpr std::size_t kAhead = 12;  ///< events between fetching data and using it

  DelayLine hop_;
  std::vector<DelayLine> wire_;  ///< [chunks - 1]
  unsigned wires_used_ = 0;      ///< bit = chunks - 1; most runs know one length or two
  EventWheel wheel_;
  std::vector<Event> irregular_;  ///< of the present cycle
};

}  // namespace toroid::sim
