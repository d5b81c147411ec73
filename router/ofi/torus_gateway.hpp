// The gateway of the torus route: the ends of the links that cross the boundary. A frame carries
// packets through a link's channels and the counts of slots that are free again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "router/ofi/buffers.hpp"
#include "router/ofi/flow.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/wire.hpp"
#include "router/placement/partition.hpp"
#include "router/shm/device.hpp"
#include "router/shm/torus/boundary_links.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ofi {

class TorusGateway final : public Gateway {
 public:
  /// `boundary` is complete.
  TorusGateway(Wire& wire, Buffers& buffers, std::span<const FlowIdentity> identities,
               const ring::Machinery& machinery, const Partition& partition,
               ring::BoundaryLinks& boundary);

 private:
  struct Leaving {
    ring::LeavingLink* link;
    ring::LinkReceiver in;
    unsigned peer;
    std::uint32_t port;
  };
  struct Arriving {
    ring::ArrivingLink* link;
    ring::LinkSender out;
    unsigned peer;
    std::uint32_t port;
    std::uint64_t told = 0;  ///< the counts of free slots that the other end knows
  };

  bool is_valid(unsigned peer, const Run& run, const PacketHeader& header) const override;
  void take(Arrival& arrival) override;
  bool collect() override;
  bool is_arriving(unsigned peer, std::uint32_t port) const;
  const std::byte* put(const Run& run, const std::byte* at);
  void give_back(unsigned peer, const Return& back);
  bool send(Leaving& leaving);
  bool send_channel(Leaving& leaving, unsigned channel);
  bool tell(Arriving& arriving);

  const ring::Machinery& machinery_;
  std::vector<Leaving> leaving_;
  std::vector<Arriving> arriving_;
  std::vector<std::uint32_t> leaving_at_;   ///< [port]: 1 + index; 0: none
  std::vector<std::uint32_t> arriving_at_;  ///< likewise
};

}  // namespace toroid::ofi
