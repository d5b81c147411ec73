// The first half of a cycle: events change the routers' state. Headers arrive, tails leave and
// return their tokens upstream, packets reach the reception FIFOs.
#pragma once

#include <cstddef>

#include "hal/tick.hpp"
#include "router/sim/network.hpp"
#include "router/sim/network_state.hpp"

namespace toroid::sim {

/// Handles all events of the routers at `now`, which is the calendar's next cycle. Adds the events
/// that processors have to know to `events`. `fetches_early`: state is prefetched, because the
/// routers' state does not fit in a cache. Returns the number of events.
std::size_t run_events(NetworkState& net, Tick now, bool fetches_early, ProcessorEvents& events);

}  // namespace toroid::sim
