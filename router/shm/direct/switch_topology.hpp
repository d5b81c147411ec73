// Rings from every worker to every node of the process, as through a switch.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/put_switch.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ring {

/// Owns a ring from every worker to every local node, the put queues, and the nodes' devices.
class SwitchTopology final : public DevicesAndRings {
 public:
  using DeviceFactory = std::function<std::unique_ptr<DirectDevice>(const SwitchPlug&)>;

  SwitchTopology(const SharedDeviceState& shared, const Placement& placement,
                 const DeviceFactory& make_device);

  DirectDevice& device(Rank rank) override { return *devices_[local_.index(rank)]; }
  void allocate(Rank rank) override;
  PutPort* puts(std::size_t worker) override { return &puts_.port(worker); }
  unsigned inputs() const override { return 0; }
  std::optional<RoutedPacket> head(Rank, Input) const override { return std::nullopt; }

 private:
  void add_senders(std::size_t worker);

  const LocalNodes& local_;
  PutSwitch puts_;
  std::vector<std::vector<TaggedMemory>> rings_;  ///< [index among the local nodes][sending worker]
  std::deque<std::vector<TaggedSender>> senders_;       ///< [worker][index among the local nodes]
  std::vector<std::unique_ptr<DirectDevice>> devices_;  ///< [index among the local nodes]
};

}  // namespace toroid::ring
