// The gateway of the torus route.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/transport.hpp"
#include "router/placement/process_partition.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/boundary_links.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ofi {

/// Serves the ends of the links that leave the process. A frame carries packets through the links'
/// channels, and credits for slots that are free again. **Invariant:** the packets that have been
/// sent through a link and not been credited fit into the link's ring at the other end. Threads: as
/// for Gateway.
class TorusGateway final : public Gateway {
 public:
  /// `boundary`: all links that leave the process; it outlives the gateway.
  TorusGateway(Transport& transport, FrameBuffers& buffers,
               std::span<const FlowIdentity> identities, const ring::SharedDeviceState& shared,
               const Partition& partition, ring::BoundaryLinks& boundary);

 private:
  struct Leaving {
    ring::LeavingLink* link;
    ring::LinkReceiver in;
    unsigned peer;
    std::uint32_t number;  ///< BoundaryLinks::number()
  };
  struct Arriving {
    ring::ArrivingLink* link;
    ring::LinkSender out;
    unsigned peer;
    std::uint32_t number;  ///< BoundaryLinks::number()
    /// The counts of popped packets that were last sent to the other end.
    std::uint64_t credited = 0;
  };

  bool is_valid(unsigned peer, const PacketRun& run, const PacketHeader& header) const override;
  void deliver(ReceivedFrame& frame) override;
  bool progress() override;
  bool is_arriving(unsigned peer, std::uint32_t number) const;
  const std::byte* deliver_run(const PacketRun& run, const std::byte* at);
  void apply_credit(unsigned peer, const LinkCredit& credit);
  bool forward(Leaving& leaving);
  bool forward_channel(Leaving& leaving, unsigned channel);
  bool send_credit(Arriving& arriving);

  const ring::SharedDeviceState& shared_;
  std::vector<Leaving> leaving_;
  std::vector<Arriving> arriving_;
  std::vector<std::uint32_t> leaving_at_;   ///< [link number]: 1 + index in leaving_; 0 if none
  std::vector<std::uint32_t> arriving_at_;  ///< [link number]: 1 + index in arriving_; 0 if none
};

}  // namespace toroid::ofi
