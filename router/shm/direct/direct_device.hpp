// A node whose packets go straight to their destination, as over a switch. The torus is only the
// address space: packets cross no links and are limited only by the room in the destination's
// reception buffer, which is a ring per sending worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "hal/device.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/shm/device.hpp"
#include "router/shm/direct/put_switch.hpp"
#include "router/shm/direct/tagged_ring.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ring {

/// The connections of a node.
struct SwitchPlug {
  Rank node;
  std::size_t worker;              ///< the worker that runs the node
  std::span<TaggedMemory> inward;  ///< the rings that end here, [sending worker]
  /// The sending ends of the rings to all local nodes, [index among the local nodes]. They belong
  /// to the worker; its nodes share them.
  std::span<TaggedSender> outward;
  PutPort& puts;  ///< the worker's port
};

/// Exchanges packets and puts with the nodes of this process. A derived class may add peers in
/// other processes.
class DirectDevice : public RingDevice, public PutEnd {
 public:
  DirectDevice(const SharedDeviceState& shared, const SwitchPlug& plug);

  PutReach put_reach(Rank to) const override {
    return shared().local.has(to) ? PutReach::shared : PutReach::none;
  }
  bool try_pass(const SendDescriptor& descriptor, std::span<const std::byte> payload) override;
  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override;
  std::size_t receive(PacketSink& sink, std::size_t limit) override;
  bool has_news() const override;
  void take_note(const PutNote& note) override;

 protected:
  /// The index of the only FIFO.
  static constexpr unsigned kOnly = 0;
  /// Sets whether packets for the processor are left.
  void set_delivery(bool any) { deliverable_ = any; }

 private:
  /// Sends part of the FIFO's front to a node of another process. Returns false if nothing was
  /// sent.
  virtual bool send_to_other_process() { return false; }

  bool look() override { return deliverable_ = has_news(); }
  void forward() override;
  void expose_fifo(unsigned) override {}
  bool has_delivery() const override { return deliverable_; }
  void give_back() override;
  bool holds_packets() const override { return !fifo(0).empty(); }

  Rank destination(const PacketHeader& header) const {
    return shape().ranks().rank(header.destination(), header.processor());
  }
  TaggedSender* open_ring(const SendDescriptor& packets, std::uint32_t count);
  void count_sent(const SendDescriptor& packets, TaggedSender& ring);
  bool send_some();
  std::size_t receive_puts(PacketSink& sink, std::size_t limit);
  std::size_t receive_from(TaggedReceiver& ring, PacketSink& sink, std::size_t limit);

  std::vector<TaggedReceiver> in_;  ///< [sending worker]
  std::span<TaggedSender> out_;     ///< [index among the local nodes]
  PutPort* puts_;                   ///< port of this node's worker
  std::deque<PutDescriptor> put_;   ///< puts that have arrived and are yet to be copied
  std::size_t first_ = 0;           ///< the first ring to receive from
  bool deliverable_ = false;        ///< there may be packets for the processor
};

}  // namespace toroid::ring
