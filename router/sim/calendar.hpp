// The pending events of a block, by cycle.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/event_wheel.hpp"

namespace toroid::sim {

/// Delay lines hold what the hardware does, which always takes one of a few numbers of cycles; a
/// wheel holds what processors do, which may take any. A network owns it.
class Calendar {
 public:
  explicit Calendar(const Machine& machine) : hop_(machine.hop_latency_cycles) {
    for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
      wire_.emplace_back(machine.wire_cycles(machine.wire_bytes(chunks)));
  }

  // The delays are counted from the present cycle.
  /// A header reaches the next router.
  void after_hop(Event event) { hop_.push(event); }
  /// The tail of a packet of so many chunks has passed.
  void after_wire(unsigned chunks, Event event) {
    wire_[chunks - 1].push(event);
    wires_used_ |= 1u << (chunks - 1);
  }
  /// REQUIRES: at is past the present cycle.
  void at(Tick when, Event event) { wheel_.schedule(when, event); }

  Tick hop_cycles() const { return hop_.delay(); }
  /// Cycles that a packet of so many chunks keeps a link busy.
  Tick wire_cycles(unsigned chunks) const { return wire_[chunks - 1].delay(); }

  /// The next cycle in which something happens; kNever: nothing is left.
  Tick next() const {
    Tick next = std::min(wheel_.next(), hop_.next());
    for (unsigned rest = wires_used_; rest != 0; rest &= rest - 1)
      next = std::min(next, wire_[static_cast<unsigned>(std::countr_zero(rest))].next());
    return next;
  }
  /// Moves to next().
  void advance(Tick next) { wheel_.advance(next, irregular_); }
  /// Shows the events of the present cycle to the handler: those in delay lines by arrive(line,
  /// place) and tail_passed(line, place), the others by irregular(event). Returns the number of
  /// those in delay lines.
  template <typename Handler>
  std::size_t for_each(Tick now, Handler&& handler) {
    std::size_t regular = 0;
    if (hop_.next() == now)
      regular += hop_.pop_batch([&](std::size_t place) { handler.arrive(hop_, place); });
    for_each_wire([&](DelayLine& line) {
      if (line.next() == now)
        regular += line.pop_batch([&](std::size_t place) { handler.tail_passed(line, place); });
    });
    for_each_irregular([&](Event event) { handler.irregular(event); });
    return regular;
  }
  /// Only those that are in no delay line.
  template <typename Body>
  void for_each_irregular(const Body& body) {
    for (const Event event : irregular_) body(event);
    irregular_.clear();
  }
  /// The present cycle is over.
  void end_cycle(Tick now) {
    hop_.close(now);
    for_each_wire([&](DelayLine& line) { line.close(now); });
  }

  /// REQUIRES: the present cycle is over.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(hop_, wire_, wires_used_, wheel_);
  }

 private:
  /// Calls body(line) for every wire's line that has been used.
  template <typename Body>
  void for_each_wire(const Body& body) {
    for (unsigned rest = wires_used_; rest != 0; rest &= rest - 1)
      body(wire_[static_cast<unsigned>(std::countr_zero(rest))]);
  }

  DelayLine hop_;
  std::vector<DelayLine> wire_;  ///< [chunks - 1]
  unsigned wires_used_ = 0;      ///< bit = chunks - 1; most runs know one length or two
  EventWheel wheel_;
  std::vector<Event> irregular_;  ///< those of the present cycle
};

}  // namespace toroid::sim
