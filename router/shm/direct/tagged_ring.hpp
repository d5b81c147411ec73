// A ring without a shared index: each packet announces its own arrival by a tag in the link bits of
// its header. The tag changes with each round of the ring. So a short packet moves to another core
// as a single cache line, and nothing else moves. The cost: a receiver must look at each ring's
// next slot. That is why the links of the torus, with their many channels, use counters instead
// (link.hpp).
//
// Source of the idea: Giacomoni, Moseley, Vachharajani, "FastForward for efficient pipeline
// parallelism", PPoPP 2008. There the receiver clears the slots, which moves each cache line to its
// core for writing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "hal/packet.hpp"
#include "router/threads/atomics.hpp"

namespace toroid::ring {

/// The memory that both ends refer to.
struct TaggedMemory {
  std::unique_ptr<Packet[]> slots;
  std::uint32_t capacity = 0;  ///< slots
  /// Number of packets taken out so far, modulo 2^32. Written by the receiver; on a cache line of
  /// its own.
  alignas(64) sync::atomic<std::uint32_t> popped{0};

  /// Called by the receiving end's thread, so that the slots lie in its local memory.
  void allocate() {
    slots.reset(new Packet[capacity]);
    for (std::uint32_t i = 0; i < capacity; ++i) slots[i].header = PacketHeader(0, 0);
  }
};

/// A position in the ring, and the tag of the current round.
class TaggedPosition {
 public:
  explicit TaggedPosition(const TaggedMemory& memory) : memory_(&memory) {}

  Packet& slot() const { return memory_->slots[at_]; }
  std::uint64_t tag() const { return tag_; }
  std::uint32_t count() const { return count_; }
  void advance() {
    ++count_;
    if (++at_ != memory_->capacity) return;
    at_ = 0;
    tag_ = tag_ == kLastTag ? kFirstTag : tag_ + kFirstTag;
  }

 private:
  static constexpr std::uint64_t kFirstTag = std::uint64_t{1} << PacketHeader::kFirstLinkBit;
  static constexpr std::uint64_t kLastTag = ~std::uint64_t{0} << PacketHeader::kFirstLinkBit;

  const TaggedMemory* memory_;
  std::uint64_t tag_ = kFirstTag;  ///< never 0, the tag of fresh slots
  std::uint32_t at_ = 0;
  std::uint32_t count_ = 0;
};

/// The sending end. All calls come from one thread.
class TaggedSender {
 public:
  explicit TaggedSender(const TaggedMemory& memory)
      : memory_(&memory), tail_(memory), room_(memory.capacity) {}

  /// Number of free slots that the sender knows of.
  std::uint32_t room() const { return room_; }
  /// Learns which slots are free again. Returns whether any slot is free.
  bool refresh() {
    // Acquire: the slots may be overwritten. Partner: the release in TaggedReceiver::publish().
    const std::uint32_t popped = memory_->popped.load(std::memory_order_acquire);
    room_ = memory_->capacity - (tail_.count() - popped);
    return room_ > 0;
  }
  /// The slot of the next packet, whose payload is to be written. REQUIRES: there is room.
  Packet& claim() const { return tail_.slot(); }
  /// Completes the packet that was claimed last. The first of several packets becomes visible last,
  /// by publish(): a receiver that polls for this packet takes no cache line from the sender while
  /// the others are written.
  void commit(const PacketHeader& header) {
    if (first_ == nullptr) {
      first_ = &tail_.slot();
      first_header_ = header;
      first_tag_ = tail_.tag();
    } else {
      show(tail_.slot(), header, tail_.tag());
    }
    tail_.advance();
    --room_;
  }
  /// Makes all committed packets visible.
  void publish() {
    if (first_ != nullptr) show(*std::exchange(first_, nullptr), first_header_, first_tag_);
  }

 private:
  static void show(Packet& slot, const PacketHeader& header, std::uint64_t tag) {
    // Release: payload, software word and earlier packets are written. Partner: the acquire in
    // TaggedReceiver::front().
    slot.header.software_word() = header.software_word();
    sync::atomic_ref(slot.header.hardware_word())
        .store(header.hardware_word() | tag, std::memory_order_release);
  }

  const TaggedMemory* memory_;
  TaggedPosition tail_;
  std::uint32_t room_;
  Packet* first_ = nullptr;  ///< the first committed packet that is not visible yet; null if there
                             ///< is none
  PacketHeader first_header_{0, 0};
  std::uint64_t first_tag_ = 0;
};

/// The receiving end. All calls come from one thread.
class TaggedReceiver {
 public:
  explicit TaggedReceiver(TaggedMemory& memory) : memory_(&memory), head_(memory) {}

  /// The next packet; null if it has not arrived.
  const Packet* front() const {
    // Acquire: the packet may be read. Partner: the release in TaggedSender::show().
    Packet& packet = head_.slot();
    const std::uint64_t word =
        sync::atomic_ref(packet.header.hardware_word()).load(std::memory_order_acquire);
    return (word & PacketHeader::kLinkBits) == head_.tag() ? &packet : nullptr;
  }
  void pop() { head_.advance(); }
  /// Gives the slots of popped packets back to the sender.
  void publish() {
    if (published_ == head_.count()) return;
    published_ = head_.count();
    // Release: the slots have been read. Partner: the acquire in TaggedSender::refresh().
    memory_->popped.store(published_, std::memory_order_release);
  }

 private:
  TaggedMemory* memory_;
  TaggedPosition head_;
  std::uint32_t published_ = 0;
};

}  // namespace toroid::ring
