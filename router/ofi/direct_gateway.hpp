// The gateway of the direct route.
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
#include "router/ofi/transport.hpp"
#include "router/placement/partition.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/direct/switch_topology.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/machinery.hpp"

namespace toroid::ofi {

/// Sends every packet straight to its destination's process. Nodes of the gateway's own worker
/// write their packets into frames and read them from frames in place; those of other workers have
/// rings between them and the gateway. Called by the worker that serves it.
class DirectGateway final : public Gateway, public FrameOwner {
 public:
  DirectGateway(Transport& transport, Buffers& buffers, std::span<const FlowIdentity> identities,
                const ring::Machinery& machinery, const Partition& partition,
                const Placement& placement);

  /// The node of a place in the switch; the topology owns it.
  std::unique_ptr<HostDevice> make_device(const ring::SwitchPlug& plug);
  void run_consumed(ReceivedFrame& frame) override;

 private:
  /// The outlet of the gateway's own worker: it writes into frames.
  class FrameOutlet final : public Outlet {
   public:
    explicit FrameOutlet(DirectGateway& gateway) : gateway_(gateway) {}
    std::uint32_t room(Rank to) override;
    FrameWriter* writer() override { return &out_->writer(); }
    ring::TaggedSender* ring() override { return nullptr; }

   private:
    DirectGateway& gateway_;
    Outflow* out_ = nullptr;  ///< to the process that room() was last asked for
  };

  /// The outlet of another worker: a ring to the gateway; and what has arrived for its nodes.
  class RingOutlet final : public Outlet {
   public:
    explicit RingOutlet(std::uint32_t capacity);
    std::uint32_t room(Rank to) override;
    FrameWriter* writer() override { return nullptr; }
    ring::TaggedSender* ring() override { return &*sender; }

    ring::TaggedMemory memory;
    std::optional<ring::TaggedSender> sender;         ///< the worker's end of the ring
    std::optional<ring::TaggedReceiver> receiver;     ///< the gateway's end of the ring
    std::deque<std::pair<Rank, ReceivedRun>> inward;  ///< with the local index of their node
  };

  bool is_valid(unsigned peer, const PacketRun& run, const PacketHeader& header) const override;
  void deliver(ReceivedFrame& frame) override;
  bool progress() override;
  void deliver_run(Rank index, const ReceivedRun& run);
  bool forward_out(RingOutlet& outlet);
  bool forward_in(RingOutlet& outlet);
  std::uint32_t copy_to_ring(ReceivedRun& run, ring::TaggedSender& ring);

  const ring::Machinery& machinery_;
  const Partition& partition_;
  FrameOutlet frame_outlet_;
  std::vector<std::unique_ptr<RingOutlet>> ring_outlets_;  ///< [worker]; null: the gateway's own
  std::vector<std::size_t> worker_of_;                     ///< [index among the local nodes]
  std::vector<HostDevice*> nodes_;                         ///< [index]; of the gateway's own worker
  std::span<ring::TaggedSender> rings_to_nodes_;  ///< [index]: those of the gateway's worker
};

}  // namespace toroid::ofi
