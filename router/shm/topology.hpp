// Which node is wired to which: builds the nodes of a fabric and the rings between them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/torus/boundary_links.hpp"

namespace toroid::ring {

/// Owns nodes and rings.
class Wiring {
 public:
  virtual ~Wiring() = default;
  virtual RingNode& node(Rank rank) = 0;
  const RingNode& node(Rank rank) const { return const_cast<Wiring*>(this)->node(rank); }
  /// Allocates the rings that end at a node. To be called by the thread that owns it.
  virtual void allocate(Rank rank) = 0;
  /// As in termination::StalledMachine.
  virtual unsigned sources() const = 0;
  virtual std::optional<RoutedPacket> head(Rank node, Source source) const = 0;
};

/// Rings along the links of the torus. Those that cross the territory's border end at the border.
std::unique_ptr<Wiring> wire_torus(const Machinery& machinery, RoutingOptions options,
                                   Border* border = nullptr);
/// Rings from every worker to every node.
std::unique_ptr<Wiring> wire_switch(const Machinery& machinery, const Placement& placement);

// Memory of all rings, in bytes.
double torus_bytes(const Shape& shape, const Machine& machine);
double switch_bytes(const Shape& shape, const Machine& machine, std::size_t workers);

}  // namespace toroid::ring
