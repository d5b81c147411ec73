// The pending events of a block, by cycle.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/event_wheel.hpp"
#include "router/sim/tail_lines.hpp"

namespace toroid::sim {

/// Delay lines hold the events of the hardware, which always take one of a few numbers of cycles. A
/// wheel holds the events of processors, which may take any number. A network owns it.
class Calendar {
 public:
  explicit Calendar(const Machine& machine) : hop_(machine.hop_latency_cycles) {
    for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
      wire_.emplace_back(machine.wire_cycles(machine.wire_bytes(chunks)));
  }

  // The delay of a line counts from the present cycle.
  /// Headers on their way to the next router.
  DelayLine& hops() { return hop_; }
  /// Tails of packets of `chunks` chunks.
  TailLines<Event>& tails(unsigned chunks) {
    wires_used_ |= 1u << (chunks - 1);
    return wire_[chunks - 1];
  }
  /// Schedules any other event. REQUIRES: `when` is after the present cycle.
  void at(Tick when, Event event) { wheel_.schedule(when, event); }

  Tick hop_cycles() const { return hop_.delay(); }
  /// Cycles for which a packet of `chunks` chunks keeps a link busy.
  Tick wire_cycles(unsigned chunks) const { return wire_[chunks - 1].channels.delay(); }

  /// The next cycle in which something happens; kNever if nothing is left.
  Tick next() const {
    Tick next = std::min(wheel_.next(), hop_.next());
    for (unsigned rest = wires_used_; rest != 0; rest &= rest - 1)
      next = std::min(next, wire_[static_cast<unsigned>(std::countr_zero(rest))].next());
    return next;
  }
  /// Moves to next().
  void advance(Tick next) { wheel_.advance(next, irregular_); }
  /// Passes each delay line that has events in the present cycle to a function of the handler,
  /// which pops these events. The functions are arrivals(line), channel_tails(chunks, line),
  /// fifo_tails(chunks, line) and deliveries(chunks, line).
  template <typename Handler>
  void for_each_line(Tick now, Handler&& handler) {
    if (hop_.next() == now) handler.arrivals(hop_);
    for_each_wire([&](unsigned chunks, TailLines<Event>& tails) {
      if (tails.channels.next() == now) handler.channel_tails(chunks, tails.channels);
      if (tails.fifos.next() == now) handler.fifo_tails(chunks, tails.fifos);
      if (tails.delivered.next() == now) handler.deliveries(chunks, tails.delivered);
    });
  }
  /// Calls body(event) for the present cycle's events that are in no delay line.
  template <typename Body>
  void for_each_irregular(const Body& body) {
    for (const Event event : irregular_) body(event);
    irregular_.clear();
  }
  /// Ends the present cycle.
  void end_cycle(Tick now) {
    hop_.close(now);
    for_each_wire([&](unsigned, TailLines<Event>& tails) { tails.close(now); });
  }

  /// REQUIRES: the present cycle is over.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(hop_, wire_, wires_used_, wheel_);
  }

 private:
  /// Calls body(chunks, lines) for every packet length that has been used.
  template <typename Body>
  void for_each_wire(const Body& body) {
    for (unsigned rest = wires_used_; rest != 0; rest &= rest - 1) {
      const auto wire = static_cast<unsigned>(std::countr_zero(rest));
      body(wire + 1, wire_[wire]);
    }
  }

  DelayLine hop_;
  std::vector<TailLines<Event>> wire_;  ///< [chunks - 1]
  unsigned wires_used_ = 0;             ///< bit = chunks - 1; most runs use one length or two
  EventWheel wheel_;
  std::vector<Event> irregular_;  ///< events of the present cycle that are in no delay line
};

}  // namespace toroid::sim
