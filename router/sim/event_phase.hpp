// The first half of a cycle: events change the routers' state. Headers arrive, tails leave and
// return their tokens upstream, packets reach the reception FIFOs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/network_state.hpp"

namespace toroid::sim {

/// Chunks that have left the injection FIFO they came from.
struct FreedRoom {
  Rank node;
  std::uint8_t fifo;
  std::uint8_t chunks;
};

/// What a cycle brings for processors.
struct ProcessorEvents {
  std::vector<Event> delivered;
  std::vector<FreedRoom> freed;
  std::vector<Event> wakes;  ///< turns and alarms
  std::vector<Rank> coming;  ///< nodes that will have such an event soon; for prefetches only

  void clear() {
    delivered.clear();
    freed.clear();
    wakes.clear();
    coming.clear();
  }
};

/// All that happens to the routers at `now`, which is the calendar's next cycle. Adds what
/// processors have to know to `events`. `fetches_early`: the routers' state is larger than a cache.
/// Returns the number of events.
std::size_t run_events(NetworkState& net, Tick now, bool fetches_early, ProcessorEvents& events);

}  // namespace toroid::sim
