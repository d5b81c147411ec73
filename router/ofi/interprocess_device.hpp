// The device of a node on the direct route whose peers may live in other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "hal/device.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/remote_reads.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/put_switch.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ofi {

/// Consecutive packets for one node in a frame that has arrived.
struct ReceivedRun {
  ReceivedFrame* frame;
  const std::byte* at;    ///< the next packet
  std::uint32_t packets;  ///< packets left
};

/// The path from a worker's nodes to other processes. Only that worker calls it.
class Outlet {
 public:
  /// Number of full packets for node `to` that may be written now; 0 if none. They are written to
  /// writer() or, if that is null, to ring().
  virtual std::uint32_t room(Rank to) = 0;
  virtual FrameWriter* writer() = 0;
  virtual ring::TaggedSender* ring() = 0;
  /// Number of packets for node `to`, at most `most`, that may be packed now; 0 if none.
  virtual std::uint32_t part_room(Rank to, std::uint32_t most) = 0;
  /// The place to pack `packets` packets. REQUIRES: the previous call was part_room() for their
  /// node.
  virtual std::span<std::byte> claim_part(std::uint32_t packets) = 0;
  /// Sends the part that has been packed.
  virtual void commit_part(Rank to, const PartHeader& part) = 0;
  /// Bytes of the shortest put that receivers read remotely; 0 if they read none.
  virtual std::size_t least_read() const = 0;
  /// Offers a put to its receiver. False if there is no room for the offer now.
  [[nodiscard]] virtual bool try_offer(const OfferedPut& offered) = 0;
  /// Sends the packets and parts written so far, if that is possible now, even in frames that are
  /// not full.
  virtual void push() = 0;

 protected:
  ~Outlet() = default;
};

/// Owns frames that have arrived.
class FrameOwner {
 public:
  /// Notes that a node has received all packets of a run of `frame`.
  virtual void run_consumed(ReceivedFrame& frame) = 0;

 protected:
  ~FrameOwner() = default;
};

/// Receives packets from rings and in place from frames; sends packets to nodes of this process
/// through rings and to other processes through an Outlet. Packs puts for other processes, or
/// offers them for reading; parts of such puts arrive like puts within this process. Only the
/// worker that owns the node calls it.
class InterprocessDevice final : public ring::DirectDevice {
 public:
  InterprocessDevice(const ring::SharedDeviceState& shared, const ring::SwitchPlug& plug,
                     Outlet& out, FrameOwner& owner)
      : DirectDevice(shared, plug), outlet_(&out), owner_(&owner) {}

  PutReach put_reach(Rank to) const override {
    return shared().local.has(to) ? PutReach::shared : PutReach::packed;
  }
  bool push() override {
    outlet_->push();
    return true;
  }
  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  void take_note(const ring::PutNote& note) override;
  bool has_news() const override { return !runs_.empty() || DirectDevice::has_news(); }

  /// Adds packets for this node. Called by the gateway, which the same worker serves.
  void add_run(const ReceivedRun& run) { runs_.push_back(run); }

 private:
  bool send_to_other_process() override;
  bool send_packets(const SendDescriptor& front);
  bool send_put(const SendDescriptor& front);
  bool try_offer();
  bool pack_some(const SendDescriptor& front);
  std::size_t receive_from(ReceivedRun& run, PacketSink& sink, std::size_t limit);

  Outlet* outlet_;
  FrameOwner* owner_;
  std::deque<ReceivedRun> runs_;
  std::optional<OfferedPut> sending_;  ///< the put at the FIFO's front, while it is being sent
  std::uint32_t packed_ = 0;           ///< packets of that put packed so far
};

}  // namespace toroid::ofi
