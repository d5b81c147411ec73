// An emulated node of this workstation: the Device that its processor uses, and one step of its
// router. Two derived classes define how packets leave and arrive: hop by hop on the torus
// (torus/torus_device.hpp), or directly as through a switch (direct/direct_device.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/packet_times.hpp"
#include "hal/processor.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/shm/shared_device_state.hpp"

namespace toroid::ring {

/// A node's injection FIFOs, its counters, and the step that a worker repeats: look at what has
/// arrived, forward packets, give the processor a turn if there is something for it, and give slots
/// back upstream. The topology owns it. All calls come from the worker that owns the node, except
/// before and after the run.
class RingDevice : public Device {
 public:
  RingDevice(const SharedDeviceState& shared, Rank rank, std::span<const InjectionFifo> fifos);

  Rank rank() const override { return rank_; }
  const Shape& shape() const override { return *shape_; }
  const Machine& machine() const override { return shared_->machine; }
  Tick now() const override { return shared_->clock.now(); }
  InjectionFifos& fifos() override { return fifos_; }
  void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) override;
  bool flush() override {
    forward();
    return true;
  }
  std::size_t packets_per_turn() const override { return 512; }
  void compute(Tick) override {}
  void stop_readers() noexcept override;
  void time_packets(PacketTimes* times) override { packet_times_ = times; }

  void attach(Processor& processor) { processor_ = &processor; }
  const Processor* processor() const { return processor_; }

  /// Returns whether something moved.
  bool step();
  /// Changes whenever a packet or put has moved or the node's program has gone on: unlike step(),
  /// not if a node has only handled packets to itself.
  std::uint64_t progress() const { return moves_ - own_turns_; }
  /// Whether something has arrived that step() has not seen.
  virtual bool has_news() const = 0;
  /// Whether nothing can happen here until something arrives.
  bool quiet() const;

  std::uint64_t injected() const { return injected_; }
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t refused() const { return refused_; }
  /// Packets that had no path left after links or nodes failed.
  std::uint64_t lost() const { return lost_; }
  // Completions of puts. They are not packets, but they are counted like packets to decide whether
  // anything is in flight.
  std::uint64_t completions_sent() const { return completions_sent_; }
  std::uint64_t completions_taken() const { return completions_taken_; }
  std::uint64_t puts() const { return puts_; }            ///< puts sent
  std::uint64_t put_bytes() const { return put_bytes_; }  ///< bytes received by put
  /// The part of put_bytes() that arrived packed (PutStage::packed).
  std::uint64_t packed_bytes() const { return packed_bytes_; }
  std::uint64_t packet_bytes() const { return packet_bytes_; }  ///< payload bytes sent in packets
  std::uint64_t packet_hops() const { return packet_hops_; }
  NodeTotals totals() const {
    return {.finished = processor_->finished_at(),
            .sent_packets = injected_,
            .received_packets = delivered_,
            .packet_bytes = packet_bytes_,
            .put_bytes = put_bytes_};
  }
  const std::vector<FifoCounters>& fifo_counters() const { return fifo_counters_; }
  const std::vector<LinkCounters>& link_counters() const { return link_counters_; }
  /// [FIFO]: counters of the reception FIFOs; empty if the route has none.
  virtual std::vector<FifoCounters> reception_counters() const { return {}; }

 protected:
  /// Looks for arrivals. Returns whether something has arrived.
  virtual bool look() = 0;
  /// Moves packets on as far as they can go.
  virtual void forward() = 0;
  /// Packets have been written to an injection FIFO that was empty.
  virtual void expose_fifo(unsigned fifo) = 0;
  /// Whether there are packets for the processor.
  virtual bool has_delivery() const = 0;
  /// Gives slots back upstream.
  virtual void give_back() = 0;
  /// Whether some packets have reached neither the processor nor a link.
  virtual bool holds_packets() const = 0;

  /// From now on the machine has the failures of this shape.
  void change_to(const Shape& shape) { shape_ = &shape; }
  /// The node has failed: its program takes no more turns.
  void stop(Processor& dead) {
    processor_ = &dead;
    again_ = gathered_ = output_waiting_ = false;
  }
  const SharedDeviceState& shared() const { return *shared_; }
  const Coord& here() const { return here_; }
  unsigned fifo_count() const { return static_cast<unsigned>(fifos_.size()); }
  DescriptorQueue& fifo(unsigned f) { return queues_[f]; }
  const DescriptorQueue& fifo(unsigned f) const { return queues_[f]; }
  unsigned fifo_used(unsigned f) const { return fifos_.used(f); }
  /// Writes `count` packets from the FIFO's front to `out`: out.claim() returns the place of each
  /// packet, and out.commit(header) completes it. REQUIRES: the front descriptor has at least
  /// `count` packets left.
  template <typename Out>
  void write_front(unsigned f, std::uint32_t count, Out&& out);
  /// Writes the next `count` packets of a descriptor to `out` in the same way.
  template <typename Out>
  void write(const SendDescriptor& descriptor, std::uint32_t count, Out&& out);
  /// Removes the put at the FIFO's front and returns it.
  PutDescriptor take_put(unsigned f);
  /// Removes the put at the FIFO's front. The caller has already got the put from its source.
  void pop_put(unsigned f);
  bool is_valid(const PacketHeader& header);
  /// Counts packets, or a put, as injected: written to a FIFO, or sent without it. `chunks`: the
  /// chunks that the FIFO held at that moment.
  void count_injected(const SendDescriptor& descriptor, unsigned fifo, unsigned chunks);
  /// A put of this node has been copied at its destination.
  void complete(const PutDescriptor& put);
  /// A put of this node has been packed: no completion will follow.
  void finish(const PutDescriptor& put);
  /// A part of a put has been packed.
  void count_packed() { ++moves_; }
  /// Counts a put of another node. If the put is only offered, this node has said where its bytes
  /// go; otherwise the bytes have been copied here. The sender gets a note in both cases.
  void count_put(const PutDescriptor& put, std::size_t bytes) {
    ++moves_;
    if (put.stage == PutStage::offered) return;  // the sender has only asked where the bytes go
    delivered_ += put.packets;
    put_bytes_ += bytes;
    if (put.stage == PutStage::packed) packed_bytes_ += put.packed_bytes;
    ++completions_sent_;
  }
  void count_bytes(std::uint64_t payload) { packet_bytes_ += payload; }
  void count_delivered(std::size_t packets = 1) { delivered_ += packets, moves_ += packets; }
  void count_lost() { ++lost_, ++moves_; }
  void count_hops(std::uint64_t hops) { packet_hops_ += hops, moves_ += hops; }
  LinkCounters& link_counter(unsigned direction) { return link_counters_[direction]; }

 private:
  bool accept(const SendDescriptor& descriptor, unsigned fifo);
  void take_turn();
  void forward_between_turns();

  const SharedDeviceState* shared_;
  const Shape* shape_;
  Processor* processor_ = nullptr;
  Rank rank_;
  Coord here_;
  bool again_ = true;  ///< true at first, because the first turn needs no reason
  bool output_waiting_ = false;
  bool gathered_ = false;  ///< a payload source has been called, for which the program may be
                           ///< waiting
  bool resting_ = false;   ///< the latest step found the node quiet
  std::uint64_t moves_ = 0;
  std::uint64_t own_turns_ = 0;  ///< the part of moves_ that is turns in which only the node's own
                                 ///< packets to itself can have moved
  PacketTimes* packet_times_ = nullptr;
  std::uint64_t valid_ = ~std::uint64_t{0};  ///< the hardware word of the latest header that was
                                             ///< found valid in full
  InjectionFifos fifos_;
  std::vector<DescriptorQueue> queues_;  ///< [FIFO]: descriptors; no payload waits here
  std::vector<FifoCounters> fifo_counters_;
  std::vector<LinkCounters> link_counters_;  ///< [direction]
  std::uint64_t injected_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t packet_hops_ = 0;
  std::uint64_t completions_sent_ = 0;
  std::uint64_t completions_taken_ = 0;
  std::uint64_t puts_ = 0;
  std::uint64_t put_bytes_ = 0;
  std::uint64_t packed_bytes_ = 0;
  std::uint64_t packet_bytes_ = 0;
};

template <typename Out>
void RingDevice::write(const SendDescriptor& descriptor, std::uint32_t count, Out&& out) {
  TOROID_CHECK(descriptor.source != nullptr || descriptor.header.payload_bytes() == 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    PacketHeader header = descriptor.header;
    Packet& packet = out.claim();
    if (descriptor.source != nullptr) {
      header = header.with_argument(
          descriptor.source->gather(descriptor, descriptor.first + i, packet.payload));
      gathered_ = true;
    }
    out.commit(header);
  }
  packet_bytes_ += std::uint64_t{descriptor.header.payload_bytes()} * count;
}

template <typename Out>
void RingDevice::write_front(unsigned f, std::uint32_t count, Out&& out) {
  const SendDescriptor& front = queues_[f].front();
  write(front, count, out);
  fifos_.release(f, front.header.chunks() * count);
  queues_[f].pop_packets(count);
}

}  // namespace toroid::ring
