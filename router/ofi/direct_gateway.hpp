// The gateway of the direct route.
#pragma once

#include <boost/lockfree/policies.hpp>
#include <boost/lockfree/spsc_queue.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/interprocess_device.hpp"
#include "router/ofi/packed_put_ring.hpp"
#include "router/ofi/remote_reads.hpp"
#include "router/ofi/transport.hpp"
#include "router/placement/placement.hpp"
#include "router/placement/process_partition.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/put_switch.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ofi {

/// Sends every packet straight to its destination's process. Nodes of the gateway's own worker
/// write packets directly into frames and read arriving packets in place; nodes of other workers
/// are connected to the gateway by rings. A packed part of a put is handed to any node, whichever
/// worker runs it, as a put whose array is in the frame; a Receipt tells the gateway when the part
/// is unpacked. Threads: as for Gateway.
class DirectGateway final : public Gateway, public FrameOwner {
 public:
  DirectGateway(Transport& transport, FrameBuffers& buffers,
                std::span<const FlowIdentity> identities, const ring::SharedDeviceState& shared,
                const Partition& partition, const Placement& placement);

  /// Makes the device for a plug of the switch; the topology owns the device.
  std::unique_ptr<InterprocessDevice> make_device(const ring::SwitchPlug& plug);
  void run_consumed(ReceivedFrame& frame) override;
  void abandon() override { reads_.abandon(); }
  bool hurries() const override { return reads_.hurry(); }

 private:
  /// The outlet of the gateway's own worker: it writes into frames.
  class FrameOutlet final : public Outlet {
   public:
    explicit FrameOutlet(DirectGateway& gateway) : gateway_(gateway) {}
    std::uint32_t room(Rank to) override;
    FrameWriter* writer() override { return &out_->writer(); }
    ring::TaggedSender* ring() override { return nullptr; }
    std::uint32_t part_room(Rank to, std::uint32_t most) override;
    std::span<std::byte> claim_part(std::uint32_t packets) override {
      return out_->writer().claim_part(packets);
    }
    void commit_part(Rank to, const PartHeader& part) override {
      out_->writer().commit_part(to, part);
    }
    std::size_t least_read() const override { return gateway_.transport().least_read(); }
    bool try_offer(const OfferedPut& offered) override;
    void push() override;

   private:
    DirectGateway& gateway_;
    /// To the process of the node that was last passed to room() or part_room().
    Outflow* out_ = nullptr;
  };

  /// The outlet of another worker: its rings to the gateway, and the runs that have arrived for its
  /// nodes.
  class RingOutlet final : public Outlet {
   public:
    /// `slots`: size of the packet ring; `part_packets`: maximum number of packets in a part.
    RingOutlet(const Transport& transport, std::uint32_t slots, std::uint32_t part_packets);
    std::uint32_t room(Rank to) override;
    FrameWriter* writer() override { return nullptr; }
    ring::TaggedSender* ring() override { return &*sender; }
    std::uint32_t part_room(Rank, std::uint32_t most) override {
      return std::min(parts.room(), most);
    }
    std::span<std::byte> claim_part(std::uint32_t) override { return parts.claim(); }
    void commit_part(Rank to, const PartHeader& part) override { parts.commit(to, part); }
    std::size_t least_read() const override { return transport->least_read(); }
    bool try_offer(const OfferedPut& offered) override { return offers.push(offered); }
    void push() override {}  // the gateway's worker empties the rings

    const Transport* transport;
    ring::TaggedMemory memory;
    std::optional<ring::TaggedSender> sender;      ///< the worker's end of the ring
    std::optional<ring::TaggedReceiver> receiver;  ///< the gateway's end of the ring
    PackedPutRing parts;
    boost::lockfree::spsc_queue<OfferedPut, boost::lockfree::capacity<64>> offers;
    std::deque<std::pair<Rank, ReceivedRun>> inward;  ///< (local index of the node, run)
  };

  /// Tells the gateway that a part of a frame is unpacked.
  class Receipt final : public PayloadSource {
   public:
    explicit Receipt(DirectGateway& gateway) : gateway_(&gateway) {}
    void set(ReceivedFrame& frame) { frame_ = &frame; }
    std::uint32_t gather(const SendDescriptor&, std::uint32_t,
                         std::span<std::byte, kPayloadBytes>) override;
    void put_done(const PutDescriptor&) override { gateway_->run_consumed(*frame_); }

   private:
    DirectGateway* gateway_;
    ReceivedFrame* frame_ = nullptr;
  };

  /// A put that has been read and whose sender must still be told.
  struct Done {
    unsigned peer;
    Rank from;
    std::uint32_t number;
  };

  bool is_here(Rank node) const { return node < shared_.shape.size() && shared_.local.has(node); }
  bool is_valid(unsigned peer, const PacketRun& run, const PacketHeader& header) const override;
  bool is_valid_part(unsigned peer, const PacketRun& run, const PartHeader& part) const override;
  void deliver(ReceivedFrame& frame) override;
  bool progress() override;
  void deliver_run(Rank index, const ReceivedRun& run);
  void deliver_part(Rank node, ReceivedFrame& frame, const std::byte* at);
  void deliver_packed(Rank node, ReceivedFrame& frame, const std::byte* at);
  void read_completed(const Operation& operation) override { reads_.completed(operation); }
  bool try_offer(const OfferedPut& offered);
  bool forward_offers(RingOutlet& outlet);
  bool tell_done();
  bool try_tell(const Done& done);
  /// Moves packets, parts and offers from the rings of other workers into frames. True if something
  /// has moved.
  bool forward_out();
  bool forward_packets(RingOutlet& outlet);
  bool forward_parts(RingOutlet& outlet);
  bool forward_in(RingOutlet& outlet);
  std::uint32_t copy_to_ring(ReceivedRun& run, ring::TaggedSender& ring);

  const ring::SharedDeviceState& shared_;
  const Partition& partition_;
  RemoteReads reads_;
  std::vector<Done> done_;
  FrameOutlet frame_outlet_;
  std::vector<std::unique_ptr<RingOutlet>> ring_outlets_;  ///< [worker]; null for the gateway's own
  std::vector<std::size_t> worker_of_;                     ///< [index among the local nodes]
  /// [index]; null for nodes of other workers.
  std::vector<InterprocessDevice*> nodes_;
  std::span<ring::TaggedSender> rings_to_nodes_;  ///< [index]: rings from the gateway's worker
  ring::PutPort* puts_ = nullptr;                 ///< port of the gateway's worker
  Rank own_node_ = 0;  ///< a node of the gateway's worker; completions of parts go to it
  std::vector<Receipt> receipts_;  ///< [Operation::user]
};

}  // namespace toroid::ofi
