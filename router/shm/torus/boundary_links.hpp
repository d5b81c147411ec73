// The links that cross the boundary of a process's local nodes. Of each, one end is a node's here
// and the other the port's: what is in the ring, and which of its slots are free again, travels to
// a ring of the same size in the other process. So a node sees exactly the room downstream.
#pragma once

#include <cstdint>
#include <deque>

#include "hal/direction.hpp"
#include "hal/shape.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ring {

/// From a node here to one elsewhere. The port reads it, and writes `popped` when it is told.
struct LeavingLink {
  Rank to;
  Direction travelling;
  LinkMemory memory{};
  alignas(64) CountWord pushed{0};
};

/// From a node elsewhere to one here. The port writes it, and tells `popped` when it changes.
struct ArrivingLink {
  Rank from;
  Rank to;
  Direction travelling;
  LinkMemory* memory;  ///< in the node's mailbox
  alignas(64) CountWord popped{0};
};

/// They never move: nodes hold references.
struct BoundaryLinks {
  std::deque<LeavingLink> leaving;
  std::deque<ArrivingLink> arriving;

  /// The number of a link on both sides of the boundary.
  static std::uint32_t number(const Shape& shape, Rank to, Direction travelling) {
    return to * shape.links() + travelling.index;
  }
};

}  // namespace toroid::ring
