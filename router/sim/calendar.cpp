#include "router/sim/calendar.hpp"

namespace toroid::sim {

Calendar::Calendar(const Machine& machine) : hop_(machine.hop_latency_cycles) {
  for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
    wire_.emplace_back(machine.wire_cycles(machine.wire_bytes(chunks)));
}

std::optional<Tick> Calendar::advance() {
  std::optional<Tick> next = wheel_.next();
  const auto consider = [&](const DelayLine& line) {
    if (!line.empty() && (!next || line.next() < *next)) next = line.next();
  };
  consider(hop_);
  for (const DelayLine& line : wire_) consider(line);
  if (next) wheel_.take(*next, irregular_);
  return next;
}

}  // namespace toroid::sim
