// One direction of a link, as rings in memory: a ring per virtual channel, with one producer and
// one consumer. Packets are written and read in place.
//
//   sender  ── packets in the slots, `pushed` counts them ──>  receiver
//           <── `popped` counts the slots that are free again ──
//
// Besides the slots, the ends share only these two counters. Each holds the counts of all four
// channels. So an idle node looks at a single word per link, and a single store publishes
// everything that a step of the router has moved.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "router/threads/atomics.hpp"

namespace toroid::ring {

/// Number of packets that have passed, per channel, modulo 2^16.
using ChannelCounts = std::array<std::uint16_t, kVirtualChannels>;
/// ChannelCounts in one word.
using CountWord = sync::atomic<std::uint64_t>;
static_assert(sizeof(ChannelCounts) == sizeof(std::uint64_t));
static_assert(CountWord::is_always_lock_free);

inline ChannelCounts unpack(std::uint64_t word) {
  return std::bit_cast<ChannelCounts>(word);
}

/// Slots per channel.
using ChannelSlots = std::array<std::uint16_t, kVirtualChannels>;

class RetransmittingLink;

/// The memory that both ends refer to. The words `pushed` and `popped` lie in the memory of the end
/// that polls them.
struct LinkMemory {
  CountWord* pushed = nullptr;  ///< written by the sender
  CountWord* popped = nullptr;  ///< written by the receiver
  ChannelSlots capacity{};
  std::array<std::unique_ptr<Packet[]>, kVirtualChannels> slots;
  RetransmittingLink* check = nullptr;  ///< null if the link is not checked for errors

  /// Called by the receiving end's thread, so that the slots lie in its local memory.
  void allocate() {
    for (unsigned c = 0; c < kVirtualChannels; ++c) {
      slots[c].reset(new Packet[capacity[c]]);
      for (unsigned i = 0; i < capacity[c]; ++i) slots[c][i].header = PacketHeader(0, 0);
    }
  }
};

/// Positions in the rings of a link, one per channel.
class Cursor {
 public:
  Packet& slot(const LinkMemory& memory, unsigned channel) const {
    return memory.slots[channel][at_[channel]];
  }
  /// The slot `ahead` places further on. REQUIRES: ahead < the channel's capacity.
  const Packet& slot(const LinkMemory& memory, unsigned channel, unsigned ahead) const {
    const unsigned at = at_[channel] + ahead;
    const unsigned capacity = memory.capacity[channel];
    return memory.slots[channel][at < capacity ? at : at - capacity];
  }
  void advance(const LinkMemory& memory, unsigned channel) {
    ++counts_[channel];
    const unsigned next = at_[channel] + 1u;
    at_[channel] = static_cast<std::uint16_t>(next == memory.capacity[channel] ? 0 : next);
  }
  std::uint16_t count(unsigned channel) const { return counts_[channel]; }
  std::uint64_t word() const { return std::bit_cast<std::uint64_t>(counts_); }

 private:
  ChannelCounts counts_{};
  ChannelSlots at_{};
};

/// The sending end. All calls come from the thread of the upstream node.
class LinkSender {
 public:
  explicit LinkSender(const LinkMemory& memory) : memory_(&memory), free_(memory.capacity) {}

  /// Number of free slots that the sender knows of.
  unsigned room(unsigned channel) const { return free_[channel]; }
  /// Learns which slots are free again. Returns whether more slots are free than before.
  bool refresh();
  /// The counts that refresh() read most recently.
  std::uint64_t seen() const { return popped_seen_; }
  /// The slot of the next packet, to be written before publish(). REQUIRES: there is room.
  Packet& claim(unsigned channel) {
    Packet& slot = tail_.slot(*memory_, channel);
    tail_.advance(*memory_, channel);
    --free_[channel];
    return slot;
  }
  /// The counts of written packets, whether published or not.
  std::uint64_t written() const { return tail_.word(); }
  /// Makes written packets visible to the receiver.
  void publish() {
    if (tail_.word() == pushed_) return;
    pushed_ = tail_.word();
    // Release: the slots are written. Partner: the acquire in LinkReceiver::look().
    memory_->pushed->store(pushed_, std::memory_order_release);
  }

 private:
  const LinkMemory* memory_;
  Cursor tail_;
  ChannelSlots free_;
  std::uint64_t popped_seen_ = 0;
  std::uint64_t pushed_ = 0;  ///< what publish() has made visible
};

/// The receiving end. All calls come from the thread of the downstream node.
class LinkReceiver {
 public:
  explicit LinkReceiver(const LinkMemory& memory) : memory_(&memory) {}

  /// Learns which packets have arrived. Returns whether more have arrived than at the previous
  /// call.
  bool look() {
    // Acquire: the slots may be read. Partner: the release in LinkSender::publish().
    const std::uint64_t word = memory_->pushed->load(std::memory_order_acquire);
    if (word == pushed_seen_) return false;
    pushed_seen_ = word;
    return true;
  }
  /// Used in place of look(): sets the counts of arrived packets. REQUIRES: the caller has acquired
  /// the packets.
  void show(std::uint64_t arrived) { pushed_seen_ = arrived; }
  /// The counts that look() read most recently.
  std::uint64_t seen() const { return pushed_seen_; }
  unsigned waiting(unsigned channel) const {
    return static_cast<std::uint16_t>(unpack(pushed_seen_)[channel] - head_.count(channel));
  }
  /// REQUIRES: a packet is waiting.
  const Packet& front(unsigned channel) const { return head_.slot(*memory_, channel); }
  /// A packet behind the front one. REQUIRES: ahead < waiting().
  const Packet& behind_front(unsigned channel, unsigned ahead) const {
    return head_.slot(*memory_, channel, ahead);
  }
  unsigned capacity(unsigned channel) const { return memory_->capacity[channel]; }
  /// Gives the front packet new hint bits. REQUIRES: a packet is waiting.
  void turn(unsigned channel, DirectionSet hints) {
    PacketHeader& header = head_.slot(*memory_, channel).header;
    header = header.turned(hints);
  }
  void pop(unsigned channel) { head_.advance(*memory_, channel); }
  /// The counts of popped packets, whether their slots have been given back or not.
  std::uint64_t popped() const { return head_.word(); }
  /// Gives the slots of popped packets back to the sender.
  void publish() {
    if (head_.word() == popped_) return;
    popped_ = head_.word();
    // Release: the slots have been read. Partner: the acquire in LinkSender::refresh().
    memory_->popped->store(popped_, std::memory_order_release);
  }

 private:
  const LinkMemory* memory_;
  std::uint64_t pushed_seen_ = 0;
  Cursor head_;
  std::uint64_t popped_ = 0;
};

inline bool LinkSender::refresh() {
  // Acquire: the slots may be overwritten. Partner: the release in LinkReceiver::publish().
  const std::uint64_t word = memory_->popped->load(std::memory_order_acquire);
  if (word == popped_seen_) return false;
  const ChannelCounts before = unpack(std::exchange(popped_seen_, word));
  const ChannelCounts now = unpack(word);
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    free_[c] =
        static_cast<std::uint16_t>(free_[c] + static_cast<std::uint16_t>(now[c] - before[c]));
  return true;
}

/// Copies header and payload; bytes beyond the payload's length stay unchanged.
inline void copy_packet(const Packet& from, Packet& to) {
  to.header = from.header;
  copy_payload(to.payload.data(), from.payload.data(), from.header.payload_bytes());
}

}  // namespace toroid::ring
