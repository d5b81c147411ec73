// One node's end of an exchange: it makes packets and identifies those that arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// Counts of one node, used to check an exchange and to compare policies.
struct ExchangeAudit {
  Arrivals arrivals;
  Tick last_arrival = 0;
  std::uint64_t sent = 0;           ///< packets that this node sends as their origin
  std::uint64_t sent_hash = 0;      ///< sum of hash_of() over these packets
  std::uint64_t received_hash = 0;  ///< the same sum over the packets that have arrived
  /// Cycles from injection to handler of packets with an envelope, for all nodes of a lane.
  LatencyHistogram* latency = nullptr;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(arrivals, last_arrival, sent, sent_hash, received_hash);
  }
};

/// The label of a packet that other nodes forward: the first 8 bytes of its payload.
struct Envelope {
  std::uint32_t id;
  std::uint32_t to_and_stage;  ///< low 24 bits: the destination, as a member; high 8 bits: the
                               ///< packet's stage
  Rank to() const { return to_and_stage & 0xffffffu; }
  unsigned stage() const { return to_and_stage >> 24; }
  static Envelope of(std::uint32_t id, Rank to, unsigned stage) { return {id, to | stage << 24}; }
};

/// One node's end of an exchange. It belongs to an Exchange, and the node's own thread calls it.
struct Endpoint {
  static constexpr std::uint16_t kNoHeader = 0xffffu;

  Node* node;
  const ExchangePlan* plan;
  Messages* messages;
  Group group;
  HandlerId handler;
  std::uint16_t header_bytes = kNoHeader;  ///< number of message bytes in a packet with `header`
  std::optional<ExchangeAudit> audit{};    ///< none if nothing is counted
  PacketHeader header{0, 0};               ///< header of the last packets, without destination and
                                           ///< directions

  Rank self() const { return group.self(); }
  /// A descriptor of `packets` packets to a member, each with `bytes` message bytes.
  SendDescriptor descriptor(Rank member, unsigned bytes, std::uint32_t packets,
                            PayloadSource& source, std::uint64_t cookie);
  void make_header(unsigned bytes);
  /// Writes the envelope if packets have one; returns its number of bytes.
  std::size_t write_envelope(const Envelope& envelope, std::span<std::byte> payload) const;
  /// The argument in a packet's header: its id, or the time if packets have an envelope.
  std::uint32_t argument(std::uint32_t id) const;
  Envelope envelope_of(const Packet& packet) const;
  /// The packet's payload without the envelope.
  std::span<const std::byte> data_of(const Packet& packet) const;

  /// Hash of a packet. If each packet has arrived once, the sum of the hashes of all packets sent
  /// equals that of all packets received.
  static std::uint64_t hash_of(std::uint32_t id, Rank to);
  void note_sent(std::uint32_t id, Rank to);
  void note_arrival(const Packet& packet, std::uint32_t id);
  void note_arrival(const PutDescriptor& put);
  // These add to the record of the run, if there is one. Messages from one node to another are
  // numbered.
  void record_message(Tick begun, Rank member, std::uint64_t bytes, std::uint64_t number) const;
  void record_complete(std::uint64_t messages) const;
};

inline std::size_t Endpoint::write_envelope(const Envelope& envelope,
                                            std::span<std::byte> payload) const {
  if (plan->label() != PacketLabel::envelope) return 0;
  std::memcpy(payload.data(), &envelope, sizeof envelope);
  return sizeof envelope;
}

inline std::uint32_t Endpoint::argument(std::uint32_t id) const {
  return plan->label() == PacketLabel::envelope ? static_cast<std::uint32_t>(node->now()) : id;
}

/// Successive packets mostly have the same length, so the last header is kept.
inline SendDescriptor Endpoint::descriptor(Rank member, unsigned bytes, std::uint32_t packets,
                                           PayloadSource& source, std::uint64_t cookie) {
  if (bytes != header_bytes) make_header(bytes);
  SendDescriptor made = node->descriptor(group.rank(member), header);
  made.source = &source;
  made.cookie = cookie;
  made.packets = packets;
  return made;
}

inline std::uint64_t Endpoint::hash_of(std::uint32_t id, Rank to) {
  return mix64(std::uint64_t{to} << 32 | id);
}

inline void Endpoint::note_sent(std::uint32_t id, Rank to) {
  if (!audit) return;
  ++audit->sent;
  audit->sent_hash += hash_of(id, to);
}

inline void Endpoint::note_arrival(const Packet& packet, std::uint32_t id) {
  if (!audit) return;
  const Tick now = node->now();
  audit->arrivals.add(plan->origin(id), plan->number(id));
  audit->received_hash += hash_of(id, self());
  audit->last_arrival = now;
  if (plan->label() == PacketLabel::envelope)
    audit->latency->add(static_cast<std::uint32_t>(now) - packet.header.argument());
}

inline Envelope Endpoint::envelope_of(const Packet& packet) const {
  if (plan->label() == PacketLabel::envelope) return packet.as<Envelope>();
  return Envelope::of(packet.header.argument(), self(), 0);
}

inline std::span<const std::byte> Endpoint::data_of(const Packet& packet) const {
  return packet.bytes().subspan(plan->label() == PacketLabel::envelope ? sizeof(Envelope) : 0);
}

}  // namespace toroid
