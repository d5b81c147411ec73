// The interface of a node's hardware. Fabrics implement it; packet::Node calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"
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
  /// The number of the node's lane, counted from 0. Nodes of one lane never run at the same time,
  /// so data that they share needs no lock.
  virtual unsigned lane() const { return rank(); }
  /// Cycles since the start: in virtual time, or in wall-clock time at the machine's clock rate.
  virtual Tick now() const = 0;
  /// Whether time is virtual. Virtual time passes only in calls of this class, such as compute()
  /// and inject(); what the processor does between these calls takes no time. Otherwise time is
  /// that of the wall clock.
  virtual bool has_virtual_time() const { return false; }

  /// How messages for that node may move by put. If the result is PutReach::none, descriptors of
  /// puts for that node must not be injected.
  virtual PutReach put_reach(Rank) const { return PutReach::none; }
  /// The device of the node's DMA engine. That device shares the injection FIFOs of this one, but
  /// has a clock of its own. Packets that it injects are received through the device of the
  /// destination's engine. Null if the node has no engine, or if this is the engine's device.
  virtual Device* engine() { return nullptr; }

  /// The injection FIFOs as they are now.
  virtual InjectionFifos& fifos() = 0;
  /// Sends one packet at once, without the FIFOs, if these are empty and its destination has room.
  /// Returns false if it did nothing. Never calls the descriptor's source. REQUIRES: the payload is
  /// as long as the header says.
  [[nodiscard]] virtual bool try_pass(const SendDescriptor&, std::span<const std::byte>) {
    return false;
  }
  /// Takes the next `count` packets of a descriptor into an injection FIFO; their payloads are
  /// gathered now or when they leave the FIFO. REQUIRES: 0 < count <= descriptor.left(), and their
  /// chunks are accounted for in fifos().
  virtual void inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) = 0;
  /// Moves injected packets on, if that takes no time. Returns whether FIFOs may have gained room;
  /// then the caller should try to inject again in this turn.
  virtual bool flush() = 0;
  /// Announces that the program is about to compute: injected packets that would wait to be sent
  /// together with later ones leave now. Returns false if the fabric cannot do that and has done
  /// nothing.
  virtual bool push() { return false; }
  /// Hands over up to `limit` received packets, one after the other; returns their number.
  virtual std::size_t receive(PacketSink& sink, std::size_t limit) = 0;
  /// The most packets that a turn should send, and the most that it should receive. A small number
  /// if turns take virtual time, because other packets wait meanwhile; otherwise a large one.
  virtual std::size_t packets_per_turn() const = 0;
  /// The processor computes for this many cycles. Without virtual time this does nothing.
  virtual void compute(Tick cycles) = 0;
  /// Whether the program computes on a processor of its own, which takes no time of the turns: then
  /// compute() is not for it, but for handlers.
  virtual bool computes_beside() const { return false; }
  /// From now on, adds the fabric's time for sending and forwarding packets outside turns of the
  /// processor to `times`, which must outlive the measurement. A null pointer ends the measurement.
  virtual void time_packets(PacketTimes*) {}
  /// Asks for a turn at the cycle `when`, or as soon after it as the processor is free. Returns
  /// false, and asks for nothing, if time is that of the wall clock. REQUIRES: `when` is after the
  /// cycle in which the present turn began.
  [[nodiscard]] virtual bool try_wake_at(Tick) { return false; }
  /// Stops the run, because arrays from which puts are read are about to be freed: the present turn
  /// will throw the reason. When this returns, no other thread reads arrays of this node. Does
  /// nothing if nothing moves by put between threads. REQUIRES: called in a turn of this node.
  virtual void stop_readers() noexcept {}

 protected:
  /// Checks what inject() requires, in a checked build.
  void check_injection(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) {
    TOROID_CHECK_IN_CHECKED_BUILD(0 < count && count <= descriptor.left());
    TOROID_CHECK_IN_CHECKED_BUILD(descriptor.header.chunks() * count <= fifos().used(fifo));
  }
};

}  // namespace toroid
