#include "router/shm/torus/retransmitting_link.hpp"

#include <bit>
#include <optional>

#include "hal/packet_crc.hpp"

namespace toroid::ring {
namespace {

/// A delayed packet arrives when the receiver has looked this many times more.
constexpr unsigned kLooksLate = 3;

std::uint32_t joined(const ChannelCrcs& crcs) {
  std::uint32_t crc = 0;
  for (const std::uint32_t channel : crcs) crc = chained_crc(crc, channel);
  return crc;
}

void damage(Packet& packet, Random& random, std::uint32_t first_byte, std::uint32_t bytes) {
  const std::uint32_t bit = random.below(8 * bytes);
  auto* const at = reinterpret_cast<std::byte*>(&packet) + first_byte + bit / 8;
  *at ^= std::byte{1} << bit % 8;
}

}  // namespace

void RetransmittingLink::allocate(const ChannelSlots& capacity) {
  for (unsigned c = 0; c < kVirtualChannels; ++c) stamps_[c].reset(new LinkStamp[capacity[c]]);
}

LinkHealth RetransmittingLink::health() const {
  return {.errors = errors_,
          .repeats = sent_again_,
          .sent_crc = joined(sent_),
          .received_crc = joined(received_)};
}

void CheckedSender::stamp(std::uint64_t written) {
  const ChannelCounts counts = unpack(written);
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    for (; stamped_.count(c) != counts[c]; stamped_.advance(*memory_, c)) {
      const Packet& packet = stamped_.slot(*memory_, c);
      const LinkStamp stamp{numbers_[c]++, packet_crc(packet)};
      link_->stamp(c, static_cast<std::size_t>(&packet - memory_->slots[c].get())) = stamp;
      link_->sent_[c] = chained_crc(link_->sent_[c], stamp.crc);
    }
}

void CheckedSender::supervise() {
  if (!awaits_acknowledgement()) return;
  // Acquire: packets accepted before the refusal are seen below. Partner: the release in refuse().
  const std::uint32_t refusals = link_->refusals_.load(std::memory_order_acquire);
  // Relaxed: the sender does not reuse slots of accepted packets before they are popped. Partners:
  // look() and refuse().
  accepted_seen_ = link_->accepted_.load(std::memory_order_relaxed);
  if (refusals == refusals_seen_) return;
  refusals_seen_ = refusals;
  begin_again();
}

void CheckedSender::begin_again() {
  const ChannelCounts sent = std::bit_cast<ChannelCounts>(stamped_.word());
  const ChannelCounts accepted = unpack(accepted_seen_);
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    link_->sent_again_ += static_cast<std::uint16_t>(sent[c] - accepted[c]);
  // Release. No other end writes this count, so a load and a store suffice. Partner: the acquire in
  // CheckedReceiver::look().
  link_->repeats_.store(link_->repeats_.load(std::memory_order_relaxed) + 1,
                        std::memory_order_release);
}

std::uint64_t CheckedReceiver::look(LinkReceiver& receiver) {
  // Acquire: slots and stamps may be read. Partner: the release in LinkSender::publish().
  const std::uint64_t published = memory_->pushed->load(std::memory_order_acquire);
  // Acquire. Partner: the release in CheckedSender::begin_again().
  const std::uint32_t repeats = link_->repeats_.load(std::memory_order_acquire);
  if (repeats != repeats_seen_) {
    repeats_seen_ = repeats;
    begin_again();
  }
  if (late_ != 0 && --looks_ > 0) return published;
  const ChannelCounts counts = unpack(published);
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    while (wire_.count(c) != counts[c])
      if (!transmit(c, static_cast<std::uint16_t>(counts[c] - wire_.count(c)))) break;
  notice_losses(counts);
  // Relaxed: see CheckedSender::supervise().
  link_->accepted_.store(accepted_.word(), std::memory_order_relaxed);
  receiver.show(accepted_.word());
  return published;
}

void CheckedReceiver::begin_again() {
  wire_ = accepted_;
  refusing_ = late_ = 0;
}

/// Called when everything published has been transmitted, except in channels whose next packet is
/// late. Refuses channels in which a packet was lost.
void CheckedReceiver::notice_losses(const ChannelCounts& published) {
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    if (((refusing_ | late_) >> c & 1u) == 0 && accepted_.count(c) != published[c]) refuse(c);
}

/// Transmits the first packet on the wire, with or without a fault. `left`: number of packets that
/// have been published but not transmitted. Returns false if the first packet is late.
bool CheckedReceiver::transmit(unsigned channel, unsigned left) {
  const unsigned bit = 1u << channel;
  const bool was_late = (late_ & bit) != 0;
  late_ &= ~bit;
  const std::optional<LinkFault> fault = was_late ? std::nullopt : link_->draw_.next();
  if (fault) [[unlikely]]
    return befall(*fault, channel, left);
  pass(channel);
  return true;
}

bool CheckedReceiver::befall(LinkFault fault, unsigned channel, unsigned left) {
  switch (fault) {
    case LinkFault::drop:
      wire_.advance(*memory_, channel);
      return true;
    case LinkFault::corrupt:
      pass_damaged(channel);
      return true;
    case LinkFault::reorder:
      left > 1 ? pass_next_first(channel) : pass(channel);
      return true;
    case LinkFault::duplicate: {
      const Packet& packet = wire_.slot(*memory_, channel);
      pass(channel);
      take(channel, packet, stamp_of(channel, packet));
      return true;
    }
    case LinkFault::silent:
      damage_silently(channel);
      return true;
    case LinkFault::delay:
      break;
  }
  late_ |= 1u << channel;
  looks_ = kLooksLate;
  return false;
}

/// Lets the first packet on the wire arrive.
void CheckedReceiver::pass(unsigned channel) {
  const Packet& packet = wire_.slot(*memory_, channel);
  wire_.advance(*memory_, channel);
  take(channel, packet, stamp_of(channel, packet));
}

/// Delivers a damaged copy; the sender's copy stays intact.
void CheckedReceiver::pass_damaged(unsigned channel) {
  const Packet& packet = wire_.slot(*memory_, channel);
  wire_.advance(*memory_, channel);
  Packet damaged = packet;
  damage(damaged, link_->random_, 0, sizeof(PacketHeader) + packet.header.payload_bytes());
  take(channel, damaged, stamp_of(channel, packet));
}

void CheckedReceiver::pass_next_first(unsigned channel) {
  const Packet& first = wire_.slot(*memory_, channel);
  wire_.advance(*memory_, channel);
  pass(channel);
  take(channel, first, stamp_of(channel, first));
}

/// Damages the payload and updates the stamp, so that this link does not notice. A packet without
/// payload passes undamaged.
void CheckedReceiver::damage_silently(unsigned channel) {
  Packet& packet = wire_.slot(*memory_, channel);
  if (packet.header.payload_bytes() > 0) {
    damage(packet, link_->random_, sizeof(PacketHeader), packet.header.payload_bytes());
    stamp_of(channel, packet).crc = packet_crc(packet);
  }
  pass(channel);
}

/// A packet has arrived: accepts it, refuses it, or ignores it as a duplicate.
void CheckedReceiver::take(unsigned channel, const Packet& packet, const LinkStamp& stamp) {
  const unsigned bit = 1u << channel;
  const auto ahead = static_cast<std::int32_t>(stamp.number - numbers_[channel]);
  if (ahead < 0) {
    if ((refusing_ & bit) == 0) ++link_->errors_;
    return;
  }
  if ((refusing_ & bit) != 0) return;
  const std::uint32_t crc = packet_crc(packet);
  if (ahead > 0 || crc != stamp.crc) return refuse(channel);
  ++numbers_[channel];
  accepted_.advance(*memory_, channel);
  link_->received_[channel] = chained_crc(link_->received_[channel], crc);
}

void CheckedReceiver::refuse(unsigned channel) {
  refusing_ |= 1u << channel;
  ++link_->errors_;
  // Relaxed: the release below makes this count visible together with the refusal.
  link_->accepted_.store(accepted_.word(), std::memory_order_relaxed);
  // Release. No other end writes this count, so a load and a store suffice. Partner: the acquire in
  // CheckedSender::supervise().
  link_->refusals_.store(link_->refusals_.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
}

}  // namespace toroid::ring
