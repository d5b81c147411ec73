// One direction of a link as rings in memory: a ring per virtual channel, one producer, one
// consumer. Packets are written and read in place.
//
//   sender  ── packets in the slots, `pushed` counts them ──>  receiver
//           <── `popped` counts the slots that are free again ──
//
// The two counts are all that the ends share besides the slots. Each holds the counts of all four
// channels, so that an idle node looks at one word per link, and one store publishes whatever a
// step of the router has moved.
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

/// Packets that have passed so far, per channel, modulo 2^16.
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

class CheckedLink;

/// The memory that both ends refer to. Each word lies with the end that polls it.
struct LinkMemory {
  CountWord* pushed = nullptr;  ///< written by the sender
  CountWord* popped = nullptr;  ///< written by the receiver
  ChannelSlots capacity{};
  std::array<std::unique_ptr<Packet[]>, kVirtualChannels> slots;
  CheckedLink* check = nullptr;  ///< null: the link never errs

  /// To be called by the receiving end's thread, so that the slots lie in its memory.
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

/// The sending end. All calls from the thread of the node upstream.
class LinkSender {
 public:
  explicit LinkSender(const LinkMemory& memory) : memory_(&memory), free_(memory.capacity) {}

  /// Free slots, as far as is known.
  unsigned room(unsigned channel) const { return free_[channel]; }
  /// Learns which slots are free again; true: more than before.
  bool refresh();
  /// The counts that refresh() saw last.
  std::uint64_t seen() const { return popped_seen_; }
  /// The slot of the next packet, to be written before publish(). REQUIRES: room.
  Packet& claim(unsigned channel) {
    Packet& slot = tail_.slot(*memory_, channel);
    tail_.advance(*memory_, channel);
    --free_[channel];
    return slot;
  }
  /// The counts of what has been written, published or not.
  std::uint64_t written() const { return tail_.word(); }
  /// Shows the receiver what has been written.
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
  std::uint64_t pushed_ = 0;  ///< what publish() has shown
};

/// The receiving end. All calls from the thread of the node downstream.
class LinkReceiver {
 public:
  explicit LinkReceiver(const LinkMemory& memory) : memory_(&memory) {}

  /// Learns what has arrived; true: more than before.
  bool look() {
    // Acquire: the slots may be read. Partner: the release in LinkSender::publish().
    const std::uint64_t word = memory_->pushed->load(std::memory_order_acquire);
    if (word == pushed_seen_) return false;
    pushed_seen_ = word;
    return true;
  }
  /// In place of look(): these have arrived. REQUIRES: who calls has acquired them.
  void show(std::uint64_t arrived) { pushed_seen_ = arrived; }
  /// The word that look() saw last.
  std::uint64_t seen() const { return pushed_seen_; }
  unsigned waiting(unsigned channel) const {
    return static_cast<std::uint16_t>(unpack(pushed_seen_)[channel] - head_.count(channel));
  }
  /// REQUIRES: waiting.
  const Packet& front(unsigned channel) const { return head_.slot(*memory_, channel); }
  /// The front packet goes another way. REQUIRES: likewise.
  void turn(unsigned channel, DirectionSet hints) {
    PacketHeader& header = head_.slot(*memory_, channel).header;
    header = header.turned(hints);
  }
  void pop(unsigned channel) { head_.advance(*memory_, channel); }
  /// Gives the slots of what was popped back to the sender.
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

/// Header and payload; what is beyond the payload's length stays as it was.
inline void copy_packet(const Packet& from, Packet& to) {
  to.header = from.header;
  copy_payload(to.payload.data(), from.payload.data(), from.header.payload_bytes());
}

}  // namespace toroid::ring
