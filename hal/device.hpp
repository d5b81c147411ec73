// What a processor can touch of its node's hardware. Fabrics implement it; packet::Node calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/packet_times.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// The receiver of the packets and puts that Device::receive() hands over.
class PacketSink {
 public:
  /// The packet lies in the fabric's own buffer; it may be read until this returns.
  virtual void arrive(const Packet& packet) = 0;
  /// Copies what a put names into its window; returns the number of bytes.
  virtual std::size_t arrive(const PutDescriptor& put) = 0;

 protected:
  ~PacketSink() = default;
};

/// The hardware of one node. Its fabric owns it. Invariant: whoever plans an injection accounts for
/// its chunks in fifos() before inject(), which never refuses. All calls are made from inside
/// Processor::turn(), on the thread that runs the node.
class Device {
 public:
  virtual ~Device() = default;

  virtual Rank rank() const = 0;
  virtual const Shape& shape() const = 0;
  virtual const Machine& machine() const = 0;
  /// Nodes of one lane never run at the same time: what they share needs no lock. Lanes are counted
  /// from 0.
  virtual unsigned lane() const { return rank(); }
  /// Cycles since the start: virtual ones where time is virtual, else by the machine's clock rate.
  virtual Tick now() const = 0;
  /// What the processor does between calls takes no time, only what it says with compute(). False:
  /// time is the wall clock.
  virtual bool has_virtual_time() const { return false; }

  /// How messages for that node may move by put: whether descriptors of puts may be injected.
  virtual PutReach put_reach(Rank) const { return PutReach::none; }
  /// What the node's DMA engine touches: the same FIFOs, and a clock of its own. What it injects is
  /// received through the device of the destination's engine. Null: there is none, or this is it.
  virtual Device* engine() { return nullptr; }

  /// The injection FIFOs as they are now.
  virtual InjectionFifos& fifos() = 0;
  /// Sends one packet at once where nothing waits in the FIFOs and there is room where it goes:
  /// nothing would come of its way through them but time. False: nothing was done. REQUIRES: the
  /// payload is as long as the header says; the descriptor's source is not asked.
  [[nodiscard]] virtual bool try_pass(const SendDescriptor&, std::span<const std::byte>) {
    return false;
  }
  /// Takes the next `count` packets of a descriptor into an injection FIFO; their payloads are
  /// gathered now or when they leave it. REQUIRES: 0 < count <= descriptor.left(), and their chunks
  /// are accounted for in fifos().
  virtual void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) = 0;
  /// What has been injected moves on, where that takes no time. Returns whether FIFOs may have got
  /// room, so that it pays to look again in this turn.
  virtual bool flush() = 0;
  /// The program is about to compute: what has been injected and would be gathered with more leaves
  /// now, where the fabric can do that. False: it does nothing.
  virtual bool push() { return false; }
  /// Hands over up to `limit` received packets, one after the other; returns their number.
  virtual std::size_t receive(PacketSink& sink, std::size_t limit) = 0;
  /// The largest number of packets that a turn should send, and receive: few where packets wait
  /// while the time of the turn passes, many where it costs no time.
  virtual std::size_t packets_per_turn() const = 0;
  /// The processor computes: virtual time passes, elsewhere it is free.
  virtual void compute(Tick cycles) = 0;
  /// Adds what the fabric takes to send and forward packets outside its processor's turns to
  /// `times`, from now on; null: measures nothing. It outlives the measuring.
  virtual void time_packets(PacketTimes*) {}
  /// Asks for a turn at the cycle `when`, or as soon after as the processor is free. False: time is
  /// the wall clock, and nobody is woken. REQUIRES: when > now().
  [[nodiscard]] virtual bool try_wake_at(Tick) { return false; }
};

}  // namespace toroid
