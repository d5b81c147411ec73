#include "router/sim/calendar.hpp"

#include <algorithm>
#include <bit>

#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"

namespace toroid::sim {

Calendar::Calendar(const Machine& machine) : hop_(machine.hop_latency_cycles) {
  for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
    wire_.emplace_back(machine.wire_cycles(machine.wire_bytes(chunks)));
}

Tick Calendar::next() const {
  Tick next = std::min(wheel_.next(), hop_.next());
  for (unsigned rest = wires_used_; rest != 0; rest &= rest - 1)
    next = std::min(next, wire_[static_cast<unsigned>(std::countr_zero(rest))].next());
  return next;
}

}  // namespace toroid::sim
