// The links between a node of this process and a node of another process. The node has one end. The
// gateway has the other end; it copies packets and the counts of free slots to and from a ring of
// the same size in the other process. So a node sees exactly the room downstream.
#pragma once

#include <cstdint>
#include <deque>

#include "hal/direction.hpp"
#include "hal/shape.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ring {

/// A link from a local node to a node in another process. The gateway reads packets, and writes
/// `popped` when the other process reports it.
struct LeavingLink {
  Rank to;
  Direction travelling;
  LinkMemory memory{};
  alignas(64) CountWord pushed{0};
};

/// A link from a node in another process to a local node. The gateway writes packets, and reports
/// `popped` to the other process when it changes.
struct ArrivingLink {
  Rank from;
  Rank to;
  Direction travelling;
  LinkMemory* memory;  ///< in the node's mailbox
  alignas(64) CountWord popped{0};
};

/// The topology adds all links before the run. During the run no link is added or moved, because
/// nodes and the gateway hold references to links.
struct BoundaryLinks {
  std::deque<LeavingLink> leaving;
  std::deque<ArrivingLink> arriving;

  /// The number by which both processes identify a link.
  static std::uint32_t number(const Shape& shape, Rank to, Direction travelling) {
    return to * shape.links() + travelling.index;
  }
};

}  // namespace toroid::ring
