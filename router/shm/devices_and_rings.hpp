// The devices of a process and the rings between them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/boundary_links.hpp"

namespace toroid::ring {

class PutPort;

/// Owns devices and rings. Created and called by the fabric's thread, unless noted otherwise.
class DevicesAndRings {
 public:
  virtual ~DevicesAndRings() = default;
  virtual RingDevice& device(Rank rank) = 0;
  const RingDevice& device(Rank rank) const {
    return const_cast<DevicesAndRings*>(this)->device(rank);
  }
  /// Allocates the rings that end at a node. Called by the worker that owns the node, so that they
  /// lie in its local memory.
  virtual void allocate(Rank rank) = 0;
  /// A worker's access to puts; null if nothing moves by put.
  virtual PutPort* puts(std::size_t) { return nullptr; }
  /// After the run: the health of all links, [rank · links + direction]. Empty if links are not
  /// checked.
  virtual std::vector<LinkHealth> health() const { return {}; }
  /// When links or nodes fail next; none if no failure is left.
  virtual std::optional<Tick> next_failure() const { return std::nullopt; }
  /// Lets all links and nodes fail whose time is at most `time`. Called during the run.
  virtual void pass(Tick /*time*/) {}
  /// Adds the failures and the lost packets, after the run.
  virtual void add_losses(FabricCounters&) const {}
  // See termination::StalledMachine.
  virtual unsigned inputs() const = 0;
  virtual std::optional<RoutedPacket> head(Rank node, Input input) const = 0;
};

/// Rings along the links of the torus. The links to and from other processes are added to
/// `boundary`, which must not be null if there are any.
std::unique_ptr<DevicesAndRings> make_torus_topology(const SharedDeviceState& shared,
                                                     RoutingOptions options,
                                                     BoundaryLinks* boundary = nullptr);
/// Rings from every worker to every node.
std::unique_ptr<DevicesAndRings> make_switch_topology(const SharedDeviceState& shared,
                                                      const Placement& placement);

// Memory of all rings of such a topology, in bytes, if one process has all nodes.
double torus_bytes(const Shape& shape, const Machine& machine);
double switch_bytes(const Shape& shape, const Machine& machine, std::size_t workers);

}  // namespace toroid::ring
