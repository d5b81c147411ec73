// Output queues in a node's memory: what the processor wants to send and has no FIFO room for yet.
// They hold descriptors; a payload is gathered from its array when the descriptor is drained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/packet.hpp"

namespace toroid {

struct SendDescriptor;

/// Writes packets' payloads when they leave the node.
class PayloadSource {
 public:
  virtual ~PayloadSource() = default;
  /// Fills the first header.payload_bytes() bytes of `payload` for a descriptor's packet, `number`
  /// counting from 0, and returns the packet's argument. Called once per packet, on the node's own
  /// thread; not always in order, since several FIFOs may take a descriptor's packets.
  virtual std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                               std::span<std::byte, kPayloadBytes> payload) = 0;
};

/// One packet, or several of one message that are equally long. They share the header but for its
/// argument, which the source knows.
struct SendDescriptor {
  PacketHeader header;
  PayloadSource* source;      ///< null: one packet without payload bytes to carry
  std::uint64_t cookie;       ///< the source's own: which packets of which message
  std::uint32_t packets = 1;  ///< 1 at least
  std::uint32_t first = 0;    ///< number of the first of them that has not left

  std::uint32_t left() const { return packets - first; }
  /// The next so many of them by themselves. REQUIRES: at most left().
  SendDescriptor next(std::uint32_t count) const {
    SendDescriptor some = *this;
    some.packets = first + count;
    return some;
  }
};

/// A FIFO of descriptors that grows by doubling and never shrinks.
class DescriptorQueue {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }  // modulo 2^32, as head and tail count
  const SendDescriptor& front() const { return ring_[head_ & mask()]; }
  /// The front's next packets have left; with its last one the descriptor goes.
  void pop_packets(std::uint32_t count) {
    SendDescriptor& front = ring_[head_ & mask()];
    front.first += count;
    if (front.first == front.packets) pop();
  }
  /// Of the front's header; no hints where the queue is empty.
  DirectionSet front_hints() const { return front_hints_; }
  unsigned front_chunks() const { return front_chunks_; }
  void pop() {
    ++head_;
    if (empty())
      front_hints_ = DirectionSet();
    else
      look_at(front().header);
  }
  void push(const SendDescriptor& descriptor) {
    if (size() == ring_.size()) grow();
    if (empty()) look_at(descriptor.header);
    ring_[tail_++ & mask()] = descriptor;
  }

 private:
  std::size_t mask() const { return ring_.size() - 1; }
  void grow();
  void look_at(const PacketHeader& front) {
    front_hints_ = front.hints();
    front_chunks_ = static_cast<std::uint8_t>(front.chunks());
  }

  std::vector<SendDescriptor> ring_;  ///< a power of two, or empty
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  DirectionSet front_hints_;  ///< copies: the fronts themselves lie far apart in memory
  std::uint8_t front_chunks_ = 0;
};

/// L queues, filled in turn (patent, FIG. 9, step 912), and others that are filled by name; all are
/// drained round robin (FIG. 10).
class OutputQueues {
 public:
  /// `capacity` is what a polite sender respects, in descriptors per queue; handlers, which must
  /// never wait, may exceed it. `named` queues come after those in turn. REQUIRES: in_turn > 0.
  OutputQueues(unsigned in_turn, std::size_t capacity, unsigned named = 0)
      : queues_(in_turn + named), capacity_(capacity), in_turn_(in_turn) {
    TOROID_CHECK_LT(0u, in_turn);
  }

  unsigned count() const { return static_cast<unsigned>(queues_.size()); }
  DescriptorQueue& operator[](unsigned i) { return queues_[i]; }
  DescriptorQueue& named(unsigned i) { return queues_[in_turn_ + i]; }
  bool has_room(unsigned i) const { return queues_[i].size() < capacity_; }
  /// Of those that are filled in turn.
  bool any_has_room() const {
    bool any = false;
    for (unsigned i = 0; i < in_turn_; ++i) any |= has_room(i);
    return any;
  }
  bool empty() const {
    std::size_t waiting = 0;
    for (const DescriptorQueue& queue : queues_) waiting |= queue.size();
    return waiting == 0;
  }

  /// Round robin.
  unsigned after(unsigned i) const { return i + 1 == count() ? 0 : i + 1; }
  /// The queue that the next message goes to.
  unsigned next() const { return next_; }
  void advance() { next_ = next_ + 1 == in_turn_ ? 0 : next_ + 1; }
  void restart() { next_ = 0; }

 private:
  std::vector<DescriptorQueue> queues_;
  std::size_t capacity_;
  unsigned in_turn_;
  unsigned next_ = 0;
};

}  // namespace toroid
