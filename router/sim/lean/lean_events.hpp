// The first half of the fast model's cycle.
#pragma once

#include <cstddef>
#include <span>

#include "hal/tick.hpp"
#include "router/sim/flight_pool.hpp"
#include "router/sim/lean/from_others.hpp"
#include "router/sim/lean/lean_state.hpp"
#include "router/sim/network.hpp"
#include "router/sim/reception.hpp"

namespace toroid::sim::lean {

/// Where packets go whose way has ended.
struct Ends {
  FlightPool& flights;
  const Reception& reception;
};

/// Headers that arrive and tails that leave at `now`. Returns their number.
std::size_t run_lines(LeanState& state, Tick now, const Ends& ends, bool fetches_early,
                      ProcessorEvents& events);

/// Processors have written packets into injection FIFOs. Returns their number.
std::size_t run_injected(LeanState& state, Tick now, std::span<const Hop> packets,
                         bool fetches_early);
/// Headers and tokens come from other blocks: those of the cycle `now`. Returns the number of
/// headers: tokens within a block are no events of their own.
std::size_t run_from_others(LeanState& state, Tick now, FromOthers& from);

}  // namespace toroid::sim::lean
