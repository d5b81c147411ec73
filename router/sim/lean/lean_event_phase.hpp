// The first half of the fast model's cycle.
#pragma once

#include <cstddef>
#include <span>

#include "hal/tick.hpp"
#include "router/sim/flight_pool.hpp"
#include "router/sim/lean/lean_state.hpp"
#include "router/sim/lean/remote_events.hpp"
#include "router/sim/network.hpp"
#include "router/sim/reception.hpp"

namespace toroid::sim::lean {

/// The two objects that events of packets at their destination use.
struct Ends {
  FlightPool& flights;
  const Reception& reception;
};

/// Handles headers that arrive and tails that leave at `now`. Returns their number.
std::size_t run_lines(LeanState& state, Tick now, const Ends& ends, bool fetches_early,
                      ProcessorEvents& events);

/// Handles packets that processors have written into injection FIFOs. Returns their number.
std::size_t run_injected(LeanState& state, Tick now, std::span<const Hop> packets,
                         bool fetches_early);
/// Handles headers and tokens from other blocks in cycle `now`. Returns the number of headers;
/// tokens do not count, because within a block they do not count as events either.
std::size_t run_remote_events(LeanState& state, Tick now, RemoteEvents& from);

}  // namespace toroid::sim::lean
