#include "packet/exchange/endpoint.hpp"

#include <cstdint>
#include <cstring>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"

namespace toroid {
namespace {

std::uint64_t hash_of(std::uint32_t id, Rank to) {
  return mix64(std::uint64_t{to} << 32 | id);
}

}  // namespace

SendDescriptor Endpoint::descriptor(Rank member, unsigned bytes, std::uint32_t packets,
                                    PayloadSource& source, std::uint64_t cookie) const {
  const unsigned envelope = plan->label() == PacketLabel::envelope ? unsigned{sizeof(Envelope)} : 0;
  const unsigned carried = envelope + (plan->format().payload ? bytes : 0);
  return {.header = node->header(group.rank(member), handler, carried, 0,
                                 chunks_for(plan->envelope_bytes() + bytes)),
          .source = &source,
          .cookie = cookie,
          .packets = packets};
}

void Endpoint::note_sent(std::uint32_t id, Rank to) const {
  if (!audit) return;
  ++audit->sent;
  audit->sent_hash += hash_of(id, to);
}

void Endpoint::note_arrival(const Packet& packet, std::uint32_t id) const {
  if (!audit) return;
  audit->arrivals.add(plan->origin(id), plan->number(id));
  audit->received_hash += hash_of(id, self());
  audit->last_arrival = node->now();
  if (plan->label() == PacketLabel::envelope)
    audit->latency.add(static_cast<std::uint32_t>(node->now()) - packet.header.argument());
}

void Endpoint::record_message(Rank member, std::uint64_t bytes, std::uint64_t number) const {
  if (RankRecord* record = node->record())
    record->send(node->now(), group.rank(member), bytes, handler,
                 static_cast<std::uint32_t>(number));
}

void Endpoint::record_complete(std::uint64_t messages) const {
  if (RankRecord* record = node->record())
    record->received(node->now(), handler, RankRecord::kEverybody, messages);
}

}  // namespace toroid
