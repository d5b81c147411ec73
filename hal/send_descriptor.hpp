// What a node's memory holds of packets that have not left: descriptors instead of packets, whose
// payloads are gathered from their arrays when they leave (patent: "short descriptors of the
// packets such that the actual packet need not be copied").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/route.hpp"

namespace toroid {

struct SendDescriptor;

/// Writes the payloads of packets when they leave the node.
class PayloadSource {
 public:
  virtual ~PayloadSource() = default;
  /// Writes the first header.payload_bytes() bytes of `payload` for the packet with this number of
  /// the descriptor, counted from 0, and returns the packet's argument. It is called once for each
  /// packet, on the node's own thread; not always in order, since several FIFOs may take packets
  /// of one descriptor. It must not put anything into output queues: they may be being drained.
  virtual std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                               std::span<std::byte, kPayloadBytes> payload) = 0;
  /// The put that a descriptor with `is_put` stands for; called once, on the node's own thread.
  virtual PutDescriptor put(const SendDescriptor& descriptor);
  /// Writes the bytes of some packets of such a put to `to`, one behind the other, and returns
  /// their number: `packets` from `first` on, counted from 0 within the put. Called on the node's
  /// own thread for all packets in turn, after put(). REQUIRES: `to` takes as many full packets.
  virtual std::size_t pack(const SendDescriptor& descriptor, std::uint32_t first,
                           std::uint32_t packets, std::span<std::byte> to);
  /// Offers such a put to be read from afar, if its bytes stand in stretches of `least` bytes or
  /// more that are contiguous at both ends; else offers nothing, and pack() follows. Called once,
  /// after put(), where the receiver can read. REQUIRES: what is offered is read, and not packed.
  virtual PutOffer offer(const SendDescriptor& descriptor, std::size_t least);
  /// A put has been copied, packed or read: its array may be overwritten. Called on the node's own
  /// thread.
  virtual void put_done(const PutDescriptor& put);
};

/// One packet, or several equally long packets of one message, which share the header except for
/// its argument, which the source returns. Or a put: to queues and FIFOs a packet of one chunk, in
/// whose place the device sends a PutDescriptor.
struct SendDescriptor {
  PacketHeader header;
  PayloadSource* source;      ///< null: one packet, which carries no payload bytes
  std::uint64_t cookie;       ///< belongs to the source: says which packets of which message
  std::uint32_t packets = 1;  ///< 0: there is nothing to send
  std::uint32_t first = 0;    ///< number of the first packet that has not left
  Route route{};  ///< that the hints describe, if whoever made the header knows it; else empty
  bool is_put = false;  ///< a put of as many packets of the message as the header's argument says

  static SendDescriptor none() {
    return {.header = {0, 0}, .source = nullptr, .cookie = 0, .packets = 0};
  }
  std::uint32_t left() const { return packets - first; }
  /// Packets of the message that it stands for.
  std::uint32_t message_packets() const { return is_put ? header.argument() : packets; }
  /// Whether `other` is the same message from the next packet on.
  bool continues_in(const SendDescriptor& other) const {
    return cookie == other.cookie && source == other.source && source != nullptr &&
           packets == other.first && !is_put;
  }
  /// A descriptor of the next `count` packets alone. REQUIRES: count <= left().
  SendDescriptor next(std::uint32_t count) const {
    SendDescriptor some = *this;
    some.packets = first + count;
    return some;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(header, cookie, packets, first, route);
    archive.pointer(source);
  }
};

/// A first-in first-out queue of descriptors: the content of an injection FIFO, where it is kept in
/// memory. Its ring doubles when it is full and never shrinks.
class DescriptorQueue {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }  // modulo 2^32, as head and tail count
  /// REQUIRES: not empty.
  const SendDescriptor& front() const { return ring_[head_ & mask()]; }
  /// The front descriptor's packets that have not left go another way.
  void turn_front(DirectionSet hints) {
    SendDescriptor& front = ring_[head_ & mask()];
    front.header = front.header.turned(hints);
  }
  /// `count` packets of the front descriptor have left; with its last packet it is removed.
  void pop_packets(std::uint32_t count) {
    SendDescriptor& front = ring_[head_ & mask()];
    front.first += count;
    if (front.first == front.packets) pop();
  }
  void pop() { ++head_; }
  void push(const SendDescriptor& descriptor) {
    if (size() == ring_.size()) grow();
    ring_[tail_++ & mask()] = descriptor;
  }
  /// The same, as part of the last descriptor where this one continues it.
  void append(const SendDescriptor& descriptor) {
    if (!empty() && ring_[(tail_ - 1) & mask()].continues_in(descriptor))
      ring_[(tail_ - 1) & mask()].packets = descriptor.packets;
    else
      push(descriptor);
  }

 private:
  std::size_t mask() const { return ring_.size() - 1; }
  void grow();

  std::vector<SendDescriptor> ring_;  ///< its length is a power of two, or 0
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
};

}  // namespace toroid
