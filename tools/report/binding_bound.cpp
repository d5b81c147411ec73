#include "tools/report/binding_bound.hpp"

#include <algorithm>

namespace toroid {

Bound larger(const Bound& first, const Bound& second) {
  return second.cycles > first.cycles ? second : first;
}

Bound binding(const Bounds& bounds) {
  const Bound links{std::max(bounds.hottest_link, bounds.injection), BoundBy::link};
  const Bound actors =
      larger({bounds.processor, BoundBy::processor}, {bounds.engine, BoundBy::engine});
  return larger(larger(links, actors), {bounds.zero_load, BoundBy::latency});
}

Timing virtual_timing(Tick cycles, const Bound& bound, Tick hottest_link_cycles,
                      const Machine& machine) {
  const auto seconds = [&](Tick ticks) { return static_cast<double>(ticks) / machine.clock_hz; };
  return {seconds(cycles), seconds(bound.cycles), bound.by,
          cycles,          bound.cycles,          hottest_link_cycles};
}

Timing wall_clock_timing(double time_s, double bound_s) {
  return {.time_s = time_s, .bound_s = bound_s};
}

}  // namespace toroid
