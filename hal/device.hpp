// The interface of a node's hardware. Fabrics implement it; packet::Node calls it.
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
  /// Copies the bytes of a put into the window that the put names. Returns the number of bytes.
  virtual std::size_t arrive(const PutDescriptor& put) = 0;

 protected:
  ~PacketSink() = default;
};

/// The hardware of one node. Its fabric owns it. Invariant: before it calls inject(), the caller
/// accounts for the packets' chunks in fifos(), so inject() never refuses. All calls are made from
/// inside Processor::turn(), on the thread that runs the node.
class Device {
 public:
  virtual ~Device() = default;

  virtual Rank rank() const = 0;
  virtual const Shape& shape() const = 0;
  virtual const Machine& machine() const = 0;
  /// Nodes of one lane never run at the same time, so data that they share needs no lock. Lanes are
  /// counted from 0.
  virtual unsigned lane() const { return rank(); }
  /// Cycles since the start: in virtual time, or in wall-clock time at the machine's clock rate.
  virtual Tick now() const = 0;
  /// True: only compute() takes time, not what the processor does between calls. False: time is the
  /// wall clock.
  virtual bool has_virtual_time() const { return false; }

  /// How messages for that node may move by put; PutReach::none: descriptors of puts may not be
  /// injected.
  virtual PutReach put_reach(Rank) const { return PutReach::none; }
  /// The device of the node's DMA engine: it has the same FIFOs and a clock of its own. Packets
  /// that it injects are received through the device of the destination's engine. Null: the node
  /// has no engine, or this is the engine's device.
  virtual Device* engine() { return nullptr; }

  /// The injection FIFOs as they are now.
  virtual InjectionFifos& fifos() = 0;
  /// Sends one packet at once, past the FIFOs, if they are empty and its destination has room.
  /// Returns false if it did nothing. Never calls the descriptor's source. REQUIRES: the payload is
  /// as long as the header says.
  [[nodiscard]] virtual bool try_pass(const SendDescriptor&, std::span<const std::byte>) {
    return false;
  }
  /// Takes the next `count` packets of a descriptor into an injection FIFO; their payloads are
  /// gathered now or when they leave it. REQUIRES: 0 < count <= descriptor.left(), and their chunks
  /// are accounted for in fifos().
  virtual void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) = 0;
  /// Moves injected packets on, if that takes no time. Returns whether FIFOs may have gained room;
  /// then the caller should try to inject again in this turn.
  virtual bool flush() = 0;
  /// Announces that the program is about to compute: injected packets that would wait to be sent
  /// together with later ones leave now, if the fabric can do that. False: it does nothing.
  virtual bool push() { return false; }
  /// Hands over up to `limit` received packets, one after the other; returns their number.
  virtual std::size_t receive(PacketSink& sink, std::size_t limit) = 0;
  /// The most packets that a turn should send, and the most that it should receive: few if other
  /// packets wait while the turn takes time, many if a turn takes no time.
  virtual std::size_t packets_per_turn() const = 0;
  /// The processor computes for this many cycles. Without virtual time, does nothing.
  virtual void compute(Tick cycles) = 0;
  /// From now on, adds the fabric's time for sending and forwarding packets outside turns of the
  /// processor to `times`, which must outlive the measurement. Null: stops measuring.
  virtual void time_packets(PacketTimes*) {}
  /// Asks for a turn at the cycle `when`, or as soon after it as the processor is free. False: time
  /// is the wall clock, and nobody is woken. REQUIRES: when > now().
  [[nodiscard]] virtual bool try_wake_at(Tick) { return false; }
};

}  // namespace toroid
