// A node whose packets go straight to their destination, as over a switch. The torus is the address
// space only: no link is crossed, and what bounds a packet is the room in the destination's
// reception buffer, of which every worker has a ring.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hal/device.hpp"
#include "hal/shape.hpp"
#include "router/shm/device.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/machinery.hpp"

namespace toroid::ring {

/// The base of a device whose peers may live in other processes, too.
class DirectDevice : public RingDevice {
 public:
  /// `inward`: the rings that end here, [worker that sends]. `outward`: the ends of the rings to
  /// all local nodes, [index among the local nodes], that belong to this node's worker and that the
  /// worker's nodes share.
  DirectDevice(const Machinery& machinery, Rank rank, std::span<TaggedMemory> inward,
               std::span<TaggedSender> outward);

  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  bool has_news() const override;

 protected:
  /// The number of the only FIFO.
  static constexpr unsigned kOnly = 0;
  /// `any`: packets for the processor are left.
  void set_delivery(bool any) { deliverable_ = any; }

 private:
  /// Sends some of the packets at the FIFO's front to a node of another process; false: none.
  virtual bool send_to_other_process() { return false; }

  bool look() override { return deliverable_ = has_news(); }
  void forward() override;
  void expose_fifo(unsigned) override {}
  bool has_delivery() const override { return deliverable_; }
  void give_back() override;
  bool holds_packets() const override { return !fifo(0).empty(); }

  bool send_some();
  std::size_t receive_from(TaggedReceiver& ring, PacketSink& sink, std::size_t limit);

  std::vector<TaggedReceiver> in_;  ///< [worker]
  std::span<TaggedSender> out_;     ///< [index among the local nodes]
  std::size_t first_ = 0;           ///< the ring that is received from first
  bool deliverable_ = false;        ///< there may be packets for the processor
};

}  // namespace toroid::ring
