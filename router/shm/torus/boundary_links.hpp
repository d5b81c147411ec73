// The links between a node of this process and a node of another. The node has one end; the gateway
// has the other and copies packets, and the counts of free slots, to and from a ring of the same
// size in the other process. So a node sees exactly the room downstream.
#pragma once

#include <cstdint>
#include <deque>

#include "hal/direction.hpp"
#include "hal/shape.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ring {

/// From a node here to one elsewhere. The gateway reads packets, and writes `popped` when the other
/// process tells it.
struct LeavingLink {
  Rank to;
  Direction travelling;
  LinkMemory memory{};
  alignas(64) CountWord pushed{0};
};

/// From a node elsewhere to one here. The gateway writes packets, and tells the other process
/// `popped` when it changes.
struct ArrivingLink {
  Rank from;
  Rank to;
  Direction travelling;
  LinkMemory* memory;  ///< in the node's mailbox
  alignas(64) CountWord popped{0};
};

/// The topology fills it before the run; after that no link is added, and none ever moves: nodes
/// and the gateway hold references.
struct BoundaryLinks {
  std::deque<LeavingLink> leaving;
  std::deque<ArrivingLink> arriving;

  /// The number that both processes give to a link.
  static std::uint32_t number(const Shape& shape, Rank to, Direction travelling) {
    return to * shape.links() + travelling.index;
  }
};

}  // namespace toroid::ring
