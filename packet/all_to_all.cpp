#include "packet/all_to_all.hpp"

namespace toroid {

MessagePacket Messages::packet(Rank member, std::uint32_t number) const {
  const std::uint64_t begin = std::uint64_t{number} * kPayloadBytes;
  const std::uint64_t end = bytes_to(member);
  if (begin >= end) return {};
  return {static_cast<unsigned>(std::min<std::uint64_t>(end - begin, kPayloadBytes)),
          argument(member, number)};
}

AllToAll::AllToAll(Node& node, HandlerId handler, const Group& group, Messages& messages,
                   AllToAllSchedule schedule)
    : node_(&node),
      handler_(handler),
      group_(group),
      messages_(&messages),
      first_fill_(
          node.order(node.options().order, group.self(), group.size()).first(schedule.peers),
          {messages.most_packets(), schedule.packets_per_visit}),
      fill_(first_fill_) {
  node.on(handler, [this](const Packet& packet) {
    messages_->arrive(packet);
    received_.bump();
  });
}

void AllToAll::start() {
  CHECK_EQ(sent_.value(), starts_);
  ++starts_;
  fill_ = first_fill_;
  if (fill_.done()) return note_sent();
  node_->post(*this);
}

bool AllToAll::fill(OutputQueues& queues) {
  fill_.run(queues, [this](Rank member, std::uint32_t packet) { return describe(member, packet); });
  if (!fill_.done()) return false;
  note_sent();
  return true;
}

void AllToAll::note_sent() {
  if (fill_.done() && queued_ == 0) sent_.bump();
}

std::optional<SendDescriptor> AllToAll::describe(Rank member, std::uint32_t packet) {
  const MessagePacket made = messages_->packet(member, packet);
  if (made.bytes == 0) return std::nullopt;
  const bool payload = messages_->has_payload();
  if (payload) ++queued_;
  return SendDescriptor{
      .header = node_->header(group_.rank(member), handler_, payload ? made.bytes : 0,
                              made.argument, chunks_for(made.bytes)),
      .source = payload ? this : nullptr,
      .cookie = std::uint64_t{member} << 32 | packet};
}

void AllToAll::gather(const SendDescriptor& descriptor,
                      std::span<std::byte, kPayloadBytes> payload) {
  const auto member = static_cast<Rank>(descriptor.cookie >> 32);
  const auto packet = static_cast<std::uint32_t>(descriptor.cookie);
  messages_->gather(member, packet, payload.first(descriptor.header.payload_bytes()));
  --queued_;
  note_sent();
}

}  // namespace toroid
