#include "packet/exchange/exchange_part.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"

namespace toroid {
namespace {

std::uint64_t hash_of(std::uint32_t id, Rank to) {
  return mix64(std::uint64_t{to} << 32 | id);
}

}  // namespace

ExchangePart::ExchangePart(Node& node, const ExchangeCase& exchange)
    : node_(&node), case_(&exchange) {
  if (exchange.options().payload)
    data_.emplace(exchange.traffic(), node.rank(), exchange.options().seed);
}

SendDescriptor ExchangePart::descriptor(Rank to, unsigned bytes, PayloadSource& source,
                                        std::uint64_t cookie) {
  const unsigned envelope = case_->has_envelope() ? unsigned{sizeof(Envelope)} : 0;
  const unsigned carried = envelope + (data_ ? bytes : 0);
  return {.header = node_->header(to, case_->options().handler, carried, 0,
                                  chunks_for(case_->envelope_bytes() + bytes)),
          .source = &source,
          .cookie = cookie};
}

std::size_t ExchangePart::write_envelope(const Envelope& envelope,
                                         std::span<std::byte> payload) const {
  if (!case_->has_envelope()) return 0;
  std::memcpy(payload.data(), &envelope, sizeof envelope);
  return sizeof envelope;
}

std::uint32_t ExchangePart::argument(std::uint32_t id) const {
  return case_->has_envelope() ? static_cast<std::uint32_t>(node_->now()) : id;
}

Envelope ExchangePart::envelope_of(const Packet& packet) const {
  if (case_->has_envelope()) return packet.as<Envelope>();
  return Envelope::of(packet.header.argument(), node_->rank(), 0);
}

std::span<const std::byte> ExchangePart::data_of(const Packet& packet) const {
  return packet.bytes().subspan(case_->has_envelope() ? sizeof(Envelope) : 0);
}

void ExchangePart::note_sent(std::uint32_t id, Rank to) {
  ++outcome_.sent;
  outcome_.sent_hash += hash_of(id, to);
}

void ExchangePart::note_message(Rank to, std::uint64_t bytes, unsigned stage) {
  if (RankRecord* record = node_->record())
    record->send(node_->now(), to, bytes, case_->options().handler, stage);
}

void ExchangePart::note_complete(unsigned stage) {
  if (RankRecord* record = node_->record())
    record->received(node_->now(), case_->options().handler, RankRecord::kEverybody, stage + 1);
}

void ExchangePart::note_arrival(const Packet& packet, std::uint32_t id) {
  outcome_.arrivals.add(case_->origin(id), case_->number(id));
  outcome_.received_hash += hash_of(id, node_->rank());
  outcome_.last_arrival = node_->now();
  if (case_->has_envelope())
    outcome_.latency.add(static_cast<std::uint32_t>(node_->now()) - packet.header.argument());
}

}  // namespace toroid
