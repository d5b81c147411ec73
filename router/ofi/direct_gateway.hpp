// The gateway of the direct route: every packet goes to its destination's process. Nodes of the
// gateway's own worker write into the frames and read from them; those of other workers have rings
// in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "router/ofi/buffers.hpp"
#include "router/ofi/flow.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/host_device.hpp"
#include "router/ofi/wire.hpp"
#include "router/placement/partition.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/device.hpp"
#include "router/shm/direct/switch_topology.hpp"
#include "router/shm/direct/tagged_ring.hpp"

namespace toroid::ofi {

class DirectGateway final : public Gateway, public RunOwner {
 public:
  DirectGateway(Wire& wire, Buffers& buffers, std::span<const FlowIdentity> identities,
                const ring::Machinery& machinery, const Partition& partition,
                const Placement& placement);

  /// The node of a place in the switch; the topology owns it.
  std::unique_ptr<HostDevice> make_device(const ring::SwitchPlug& plug);
  void taken(Arrival& frame) override;

 private:
  /// Of the gateway's own worker: into the frames.
  class Near final : public WayOut {
   public:
    explicit Near(DirectGateway& gateway) : gateway_(gateway) {}
    std::uint32_t room(Rank to) override;
    FrameWriter* writer() override { return &out_->writer(); }
    ring::TaggedSender* ring() override { return nullptr; }

   private:
    DirectGateway& gateway_;
    Outflow* out_ = nullptr;  ///< that room() was asked of
  };

  /// Of another worker: both ways between it and the gateway.
  class Far final : public WayOut {
   public:
    explicit Far(std::uint32_t capacity);
    std::uint32_t room(Rank to) override;
    FrameWriter* writer() override { return nullptr; }
    ring::TaggedSender* ring() override { return &*sender; }

    ring::TaggedMemory memory;
    std::optional<ring::TaggedSender> sender;      ///< the worker's end
    std::optional<ring::TaggedReceiver> receiver;  ///< the gateway's
    std::deque<std::pair<Rank, FrameRun>> inward;  ///< with the index of their node
  };

  bool is_valid(unsigned peer, const Run& run, const PacketHeader& header) const override;
  void take(Arrival& arrival) override;
  bool collect() override;
  void hand_over(Rank index, const FrameRun& run);
  bool send_from(Far& far);
  bool bring_to(Far& far);
  std::uint32_t copy_to_ring(FrameRun& run, ring::TaggedSender& ring);

  const ring::Machinery& machinery_;
  const Partition& partition_;
  Near near_;
  std::vector<std::unique_ptr<Far>> far_;         ///< [worker]; null: the gateway's own
  std::vector<std::size_t> worker_of_;            ///< [index among the local nodes]
  std::vector<HostDevice*> nodes_;                ///< [index]; of the gateway's own worker
  std::span<ring::TaggedSender> rings_to_nodes_;  ///< [index]: those of the gateway's worker
};

}  // namespace toroid::ofi
