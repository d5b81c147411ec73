// Links in memory that have errors, and the protocol that corrects them.
//
// A packet stays in the sender's slot until the receiver has popped it: the slots are the buffer
// for repeats. The wire lies between the ends: it shows the receiver the written packets in order,
// but damages, drops, doubles, delays or reorders some, as LinkFaultDraw decides. Sequence numbers
// are counted per channel.
//
//   sender   ── stamps (number, CRC) beside the slots ──>   wire  ──>  receiver
//            ── `repeats`: all packets not accepted are sent again ──>
//            <── `accepted`: number of packets accepted, in order
//            <── `refusals`: a packet was refused
//
// **Refusal:** the receiver refuses a packet whose CRC or number is wrong. Then it refuses all
// later packets of that channel until the sender begins again after the last accepted packet
// (go-back-N).
// **Loss:** the count of published packets is never lost. So it shows that a packet is missing even
// if no other packet follows. The receiver then refuses the channel, and no timeout is needed. On a
// real link, the characters that an idle sender transmits reveal such a loss.
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

/// The data that accompany a packet over a checked link.
struct LinkStamp {
  std::uint32_t number;  ///< number of the packet in its channel, from 0
  std::uint32_t crc;
};

/// chained_crc() per channel over all packets that an end has sent or accepted, in order.
using ChannelCrcs = std::array<std::uint32_t, kVirtualChannels>;

/// The state that the two ends of a link share besides its rings.
class RetransmittingLink {
 public:
  /// `draw` decides the link's faults; `seed` chooses the bits that they damage.
  RetransmittingLink(const LinkFaultDraw& draw, std::uint64_t seed) : draw_(draw), random_(seed) {}

  /// Called by the receiving end's thread.
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
  // State of the wire. The receiver's thread uses it.
  LinkFaultDraw draw_;
  Random random_;
};

/// The sender's end of the protocol. All calls come from the thread of the upstream node.
class CheckedSender {
 public:
  CheckedSender(const LinkMemory& memory, RetransmittingLink& link)
      : memory_(&memory), link_(&link) {}

  /// Stamps the packets that have been written (LinkSender::written()). Called before they are
  /// published.
  void stamp(std::uint64_t written);
  /// Learns which packets have been accepted. If a packet has been refused, begins again after the
  /// last accepted one.
  void supervise();
  /// Whether some published packets are not yet known to be accepted.
  bool awaits_acknowledgement() const { return stamped_.word() != accepted_seen_; }

 private:
  void begin_again();

  const LinkMemory* memory_;
  RetransmittingLink* link_;
  Cursor stamped_;
  std::array<std::uint32_t, kVirtualChannels> numbers_{};
  std::uint64_t accepted_seen_ = 0;
  std::uint32_t refusals_seen_ = 0;
};

/// The receiver's end, and the wire before it. All calls come from the thread of the downstream
/// node.
class CheckedReceiver {
 public:
  CheckedReceiver(const LinkMemory& memory, RetransmittingLink& link)
      : memory_(&memory), link_(&link) {}

  /// Takes packets from the wire and shows `receiver` the accepted ones. Returns the counts of
  /// packets that the sender has published.
  std::uint64_t look(LinkReceiver& receiver);
  /// Whether look() has something to do even if nothing new has been published.
  bool has_more() const {
    // Relaxed: no data is read because of it. Partner: CheckedSender::begin_again().
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
  RetransmittingLink* link_;
  Cursor wire_;                                            ///< packets that have been transmitted
  Cursor accepted_;                                        ///< packets that have been accepted
  std::array<std::uint32_t, kVirtualChannels> numbers_{};  ///< [channel]: the next packet's number
  std::uint32_t repeats_seen_ = 0;
  unsigned refusing_ = 0;  ///< bit = channel: refuses until the sender begins again
  unsigned late_ = 0;      ///< bit = channel: the first packet on the wire is delayed
  unsigned looks_ = 0;     ///< number of look() calls until the delayed packet arrives
};

}  // namespace toroid::ring
