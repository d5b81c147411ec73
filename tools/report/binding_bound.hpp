// The binding bound of a run: the largest of the lower bounds on its time, and what sets it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// What sets a bound.
enum class BoundBy : std::uint8_t {
  link,       ///< bytes over the hottest link, or through the node that sends or receives most
  processor,  ///< the busiest processor: injecting, receiving, computing, writing descriptors
  engine,     ///< the busiest DMA engine: cutting descriptors into packets, and storing packets
  latency,    ///< the longest path of a packet, or a chain of messages that wait for one another
  copy,       ///< copying into packets and out of them, in wall-clock time
};
inline constexpr std::array<std::string_view, 5> kBoundByNames = {"link", "processor", "engine",
                                                                  "latency", "copy"};

struct Bound {
  Tick cycles = 0;
  BoundBy by = BoundBy::link;
};
/// Returns the larger bound; `first` if they are equal.
Bound larger(const Bound& first, const Bound& second);
/// The largest bound; among equal ones the first in the order of BoundBy. `hottest_link` and
/// `injection` count as `link`, `zero_load` as `latency`.
Bound binding(const Bounds& bounds);

/// The time of a run and its bound.
struct Timing {
  double time_s = 0;
  double bound_s = 0;
  BoundBy bound_by = BoundBy::copy;  ///< copy in wall-clock time
  // Set in virtual time:
  Tick cycles = 0;
  Tick bound_cycles = 0;
  Tick hottest_link_cycles = 0;  ///< percent_of_peak = 100 * this / cycles
};
Timing virtual_timing(Tick cycles, const Bound& bound, Tick hottest_link_cycles,
                      const Machine& machine);
Timing wall_clock_timing(double time_s, double bound_s);

}  // namespace toroid
