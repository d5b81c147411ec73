// Packets that have not left a node's memory, as descriptors: payloads are gathered from their
// arrays when the packets leave (patent: "short descriptors of the packets such that the actual
// packet need not be copied").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/check.hpp"
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
  /// Writes the first header.payload_bytes() bytes of `payload` for packet `number` of the
  /// descriptor, counted from 0, and returns the packet's argument. Called once for each packet, on
  /// the node's own thread. The calls do not always come in the order of the packets, because
  /// several FIFOs may take packets of one descriptor. This must not put anything into output
  /// queues, because drain may be at work on them.
  virtual std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                               std::span<std::byte, kPayloadBytes> payload) = 0;
  /// The put that a descriptor with `is_put` stands for. Called once, on the node's own thread.
  virtual PutDescriptor put(const SendDescriptor& descriptor);
  /// Writes the bytes of `packets` packets of such a put to `to`, one after the other, and returns
  /// the number of bytes. `first` is the first packet, counted from 0 within the put. Called on the
  /// node's own thread for all packets in turn, after put(). REQUIRES: `to` has room for `packets`
  /// full packets.
  virtual std::size_t pack(const SendDescriptor& descriptor, std::uint32_t first,
                           std::uint32_t packets, std::span<std::byte> to);
  /// Offers the bytes of such a put, so that the receiver can read them remotely, if they form
  /// stretches of at least `least` bytes that are contiguous at both ends. Otherwise offers
  /// nothing, and pack() is called. If the receiver can read remotely, this is called once, after
  /// put(). REQUIRES: an offered put is read, not packed.
  virtual PutOffer offer(const SendDescriptor& descriptor, std::size_t least);
  /// Called when a put has been copied, packed or read, so that its array may be overwritten.
  /// Called on the node's own thread.
  virtual void put_done(const PutDescriptor& put);
};

/// One packet, or several equally long packets of one message. These share the header, except for
/// its argument, which the source returns. A descriptor may also stand for a put: queues and FIFOs
/// treat it as a packet of one chunk, and the device sends a PutDescriptor in its place.
struct SendDescriptor {
  PacketHeader header;
  PayloadSource* source;      ///< null for one packet that carries no payload bytes
  std::uint64_t cookie;       ///< for the source: identifies the message and its packets
  std::uint32_t packets = 1;  ///< number of packets of the message; may be 0
  std::uint32_t first = 0;    ///< the first packet that has not left yet
  Route route{};              ///< the route that the hints describe, if known; otherwise empty
  bool is_put = false;  ///< whether it stands for a put; if so, the header's argument is the put's
                        ///< number of packets

  static SendDescriptor none() {
    return {.header = {0, 0}, .source = nullptr, .cookie = 0, .packets = 0};
  }
  std::uint32_t left() const { return packets - first; }
  /// The number of packets of the message that the descriptor stands for.
  std::uint32_t message_packets() const { return is_put ? header.argument() : packets; }
  /// Whether `other` describes the packets of the same message that follow those of this one.
  bool continues_in(const SendDescriptor& other) const {
    return cookie == other.cookie && source == other.source && source != nullptr &&
           packets == other.first && !is_put && header.hints() == other.header.hints();
  }
  /// A descriptor of only the next `count` packets. REQUIRES: count <= left().
  SendDescriptor next(std::uint32_t count) const {
    TOROID_CHECK_IN_CHECKED_BUILD(count <= left());
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

/// A first-in first-out queue of descriptors, for fabrics that keep the content of an injection
/// FIFO in memory. Its ring doubles when it is full and never shrinks.
class DescriptorQueue {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }  // modulo 2^32, as head and tail count
  /// REQUIRES: not empty.
  const SendDescriptor& front() const {
    TOROID_CHECK_IN_CHECKED_BUILD(!empty());
    return ring_[head_ & mask()];
  }
  /// Gives the front descriptor's remaining packets other hints.
  void turn_front(DirectionSet hints) {
    SendDescriptor& front = ring_[head_ & mask()];
    front.header = front.header.turned(hints);
  }
  /// Notes that `count` packets of the front descriptor have left. Removes the descriptor if its
  /// last packet has left.
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
  /// Pushes a descriptor, or merges it into the last one if it continues that one.
  void append(const SendDescriptor& descriptor) {
    if (!empty() && ring_[(tail_ - 1) & mask()].continues_in(descriptor))
      ring_[(tail_ - 1) & mask()].packets = descriptor.packets;
    else
      push(descriptor);
  }

 private:
  std::size_t mask() const { return ring_.size() - 1; }
  void grow();

  std::vector<SendDescriptor> ring_;  ///< size: a power of two, or 0
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
};

}  // namespace toroid
