// Links in memory that err, and the protocol that mends it.
//
// A packet stands in the sender's slot until the receiver has popped it: the slots are the memory
// for repeats. The wire lies between: it shows the receiver what the sender has written, in order,
// damaged or not at all as LinkFaultDraw says. Sequence numbers are counted per channel.
//
//   sender   ── stamps (number, CRC) beside the slots ──>   wire  ──>  receiver
//            ── `repeats`: all that is not accepted is sent again ──>
//            <── `accepted`: packets accepted, in order
//            <── `refusals`: a packet was refused
//
// **Refusal:** the receiver refuses a packet whose CRC or number does not fit, and all behind it in
// its channel, until the sender begins again behind the last one that was accepted (go-back-N).
// **Loss:** where nothing follows what was lost, the count of what has been published, which is
// never lost, tells the receiver, as the characters of an idle link would: it refuses that, too. So
// no time has to run out.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "hal/counters.hpp"
#include "hal/link_errors.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ring {

/// What goes with a packet over a checked link.
struct LinkStamp {
  std::uint32_t number;  ///< among the packets of its channel, from 0
  std::uint32_t crc;
};

/// chained_crc() per channel, of all packets that an end has sent or accepted, in their order.
using ChannelCrcs = std::array<std::uint32_t, kVirtualChannels>;

/// What the two ends of a link share besides its rings.
class CheckedLink {
 public:
  /// `draw`: of the link's faults. `seed`: of the bits that they damage.
  CheckedLink(const LinkFaultDraw& draw, std::uint64_t seed) : draw_(draw), random_(seed) {}

  /// To be called by the receiving end's thread.
  void allocate(const ChannelSlots& capacity);
  /// REQUIRES: the run is over.
  LinkHealth health() const;

 private:
  LinkStamp& stamp(unsigned channel, std::size_t slot) { return stamps_[channel][slot]; }

  friend class CheckedSender;
  friend class CheckedReceiver;

  std::array<std::unique_ptr<LinkStamp[]>, kVirtualChannels> stamps_;  ///< [channel][slot]
  // Written by the sender.
  alignas(64) std::atomic<std::uint32_t> repeats_{0};
  std::uint64_t sent_again_ = 0;
  ChannelCrcs sent_{};
  // Written by the receiver.
  alignas(64) CountWord accepted_{0};
  std::atomic<std::uint32_t> refusals_{0};
  std::uint64_t errors_ = 0;
  ChannelCrcs received_{};
  // Of the wire, which the receiver's thread moves.
  LinkFaultDraw draw_;
  Random random_;
};

/// The sender's end of the protocol. All calls from the thread of the node upstream.
class CheckedSender {
 public:
  CheckedSender(const LinkMemory& memory, CheckedLink& link) : memory_(&memory), link_(&link) {}

  /// Stamps the packets that have been written: LinkSender::written(). Before they are published.
  void stamp(std::uint64_t written);
  /// Learns what has been accepted. Begins again behind that where a packet has been refused.
  void supervise();
  /// Whether packets have been published that are not known to be accepted.
  bool awaits_acknowledgement() const { return stamped_.word() != accepted_seen_; }

 private:
  void begin_again();

  const LinkMemory* memory_;
  CheckedLink* link_;
  Cursor stamped_;
  std::array<std::uint32_t, kVirtualChannels> numbers_{};
  std::uint64_t accepted_seen_ = 0;
  std::uint32_t refusals_seen_ = 0;
};

/// The receiver's end, and the wire before it. All calls from the thread of the node downstream.
class CheckedReceiver {
 public:
  CheckedReceiver(const LinkMemory& memory, CheckedLink& link) : memory_(&memory), link_(&link) {}

  /// Takes what has come over the wire, and shows `receiver` what has been accepted. Returns what
  /// the sender had published.
  std::uint64_t look(LinkReceiver& receiver);
  /// Whether look() has something to do though nothing has been published.
  bool has_more() const {
    // Relaxed: nothing is read on the strength of it. Partner: CheckedSender::begin_again().
    return late_ != 0 || link_->repeats_.load(std::memory_order_relaxed) != repeats_seen_;
  }

 private:
  void begin_again();
  bool transmit(unsigned channel, unsigned left);
  bool befall(LinkFault fault, unsigned channel, unsigned left);
  void pass(unsigned channel);
  void pass_damaged(unsigned channel);
  void pass_next_first(unsigned channel);
  void damage_silently(unsigned channel);
  void notice_losses(const ChannelCounts& published);
  void take(unsigned channel, const Packet& packet, const LinkStamp& stamp);
  void refuse(unsigned channel);
  LinkStamp& stamp_of(unsigned channel, const Packet& packet) {
    return link_->stamp(channel, static_cast<std::size_t>(&packet - memory_->slots[channel].get()));
  }

  const LinkMemory* memory_;
  CheckedLink* link_;
  Cursor wire_;                                            ///< what has been transmitted
  Cursor accepted_;                                        ///< of that, what has been accepted
  std::array<std::uint32_t, kVirtualChannels> numbers_{};  ///< of the packets to be accepted next
  std::uint32_t repeats_seen_ = 0;
  unsigned refusing_ = 0;  ///< bit = channel: until the sender begins again
  unsigned late_ = 0;      ///< bit = channel: what stands first on the wire has been delayed
  unsigned looks_ = 0;     ///< until it comes
};

}  // namespace toroid::ring
