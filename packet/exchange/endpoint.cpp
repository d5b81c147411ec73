#include "packet/exchange/endpoint.hpp"

#include <cstdint>
#include <cstring>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"

namespace toroid {

void Endpoint::make_header(unsigned bytes) {
  const unsigned envelope = plan->label() == PacketLabel::envelope ? unsigned{sizeof(Envelope)} : 0;
  const unsigned carried = envelope + (plan->format().payload ? bytes : 0);
  header = node->header(handler, carried, 0, chunks_for(plan->envelope_bytes() + bytes));
  header_bytes = static_cast<std::uint16_t>(bytes);
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
