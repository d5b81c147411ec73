// What a processor can touch of its node's hardware. Fabrics implement it; packet::Node calls it.
#pragma once

#include <cstddef>
#include <span>

#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// Packets on their way into an injection FIFO: those of a descriptor that have not left.
struct Injection {
  SendDescriptor descriptor;
  unsigned fifo;

  /// Whether `other`, going to that FIFO, goes on where these end.
  bool takes(const SendDescriptor& other, unsigned other_fifo) const {
    return fifo == other_fifo && descriptor.cookie == other.cookie &&
           descriptor.source == other.source && descriptor.source != nullptr &&
           descriptor.packets == other.first;
  }
};

/// Who takes received packets.
class PacketSink {
 public:
  /// The packet lies in the fabric's own buffer; it may be read until this returns.
  virtual void arrive(const Packet& packet) = 0;

 protected:
  ~PacketSink() = default;
};

/// All calls are made from inside Processor::turn(), in batches.
class Device {
 public:
  virtual ~Device() = default;

  virtual Rank rank() const = 0;
  virtual const Shape& shape() const = 0;
  virtual const Machine& machine() const = 0;
  /// Virtual cycles where time is virtual, else cycles of the machine's clock since the start.
  virtual Tick now() const = 0;

  /// The injection FIFOs as they are; whoever plans injections accounts for them in `used`.
  virtual std::span<InjectionFifo> fifos() = 0;
  /// Takes packets, in order; their payloads are gathered now or when they leave their FIFO.
  /// REQUIRES: room, already accounted for in fifos().
  virtual void inject(std::span<const Injection> injections) = 0;
  /// Hands over up to `limit` received packets, one after the other; returns how many.
  virtual std::size_t receive(PacketSink& sink, std::size_t limit) = 0;
  /// Packets that a turn should send, and receive, at most: few where the time of a turn passes for
  /// the packets that wait meanwhile, many where it does not.
  virtual std::size_t packets_per_turn() const = 0;
  /// The processor computes: virtual time passes, elsewhere it is free.
  virtual void compute(Tick cycles) = 0;
  /// Where time is virtual there will be a turn at `when`, or as soon after as the processor is
  /// free. False: time is the wall clock, and nobody is woken. REQUIRES: later than now().
  [[nodiscard]] virtual bool try_wake_at(Tick) { return false; }
};

}  // namespace toroid
