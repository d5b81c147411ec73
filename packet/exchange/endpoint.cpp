#include "packet/exchange/endpoint.hpp"

#include "hal/check.hpp"
#include "packet/node/message_record.hpp"

namespace toroid {

void Endpoint::make_header(unsigned bytes) {
  TOROID_CHECK_LE(bytes, plan->data_bytes());
  const unsigned envelope = plan->label() == PacketLabel::envelope ? unsigned{sizeof(Envelope)} : 0;
  const unsigned carried = envelope + (plan->format().payload ? bytes : 0);
  header = node->header(handler, carried, 0, chunks_for(plan->envelope_bytes() + bytes));
  header_bytes = static_cast<std::uint16_t>(bytes);
}

/// Counts no latency, because a put does not carry the time of its injection.
void Endpoint::note_arrival(const PutDescriptor& put) {
  if (!audit) return;
  audit->arrivals.add(put.origin, put.first, put.packets);
  for (std::uint32_t n = put.first; n < put.first + put.packets; ++n)
    audit->received_hash += hash_of(plan->id(put.origin, n), self());
  audit->last_arrival = node->now();
}

void Endpoint::record_message(Tick begun, Rank member, std::uint64_t bytes,
                              std::uint64_t number) const {
  if (RankRecord* record = node->record())
    record->send(begun, group.rank(member), bytes, handler, static_cast<std::uint32_t>(number));
}

void Endpoint::record_complete(std::uint64_t messages) const {
  if (RankRecord* record = node->record())
    record->received(node->now(), handler, RankRecord::kEverybody, messages);
}

}  // namespace toroid
