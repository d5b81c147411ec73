// A node of the direct route whose peers may live in other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "hal/device.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/shm/device.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/switch_topology.hpp"
#include "router/shm/direct/tagged_ring.hpp"

namespace toroid::ofi {

/// Packets in a row in a frame, for one node.
struct FrameRun {
  Arrival* frame;
  const std::byte* at;  ///< the next packet
  std::uint32_t packets;
};

/// How a worker's nodes send to other processes.
class WayOut {
 public:
  /// Full packets that may be written now for a node elsewhere; 0: not now. They are to be written
  /// to writer(), or, where there is none, to ring().
  virtual std::uint32_t room(Rank to) = 0;
  virtual FrameWriter* writer() = 0;
  virtual ring::TaggedSender* ring() = 0;

 protected:
  ~WayOut() = default;
};

/// Told when all packets of a run have been taken.
class RunOwner {
 public:
  virtual void taken(Arrival& frame) = 0;

 protected:
  ~RunOwner() = default;
};

class HostDevice final : public ring::DirectDevice {
 public:
  HostDevice(const ring::Machinery& machinery, const ring::SwitchPlug& plug, WayOut& out,
             RunOwner& owner)
      : DirectDevice(machinery, plug.node, plug.inward, plug.outward),
        way_out_(&out),
        owner_(&owner) {}

  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  bool has_news() const override { return !runs_.empty() || DirectDevice::has_news(); }

  /// Packets for this node, from its worker's gateway.
  void arrive(const FrameRun& run) { runs_.push_back(run); }

 private:
  bool send_to_other_process() override;
  std::size_t receive_from(FrameRun& run, PacketSink& sink, std::size_t limit);

  WayOut* way_out_;
  RunOwner* owner_;
  std::deque<FrameRun> runs_;
};

}  // namespace toroid::ofi
