#include "packet/all_to_all.hpp"

namespace toroid {

AllToAll::AllToAll(Node& node, HandlerId handler, const Group& group, Messages& messages,
                   AllToAllSchedule schedule)
    : node_(&node),
      handler_(handler),
      group_(group),
      messages_(&messages),
      fill_(node.order(node.options().order, group.self(), group.size()).first(schedule.peers),
            {messages.most_packets(), schedule.packets_per_visit}) {
  node.on(handler, [this](const Packet& packet) {
    messages_->arrive(packet);
    received_.bump();
  });
}

void AllToAll::start() {
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
  const std::uint64_t begin = std::uint64_t{packet} * kPayloadBytes;
  const std::uint64_t end = messages_->bytes_to(member);
  if (begin >= end) return std::nullopt;
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(end - begin, kPayloadBytes));
  const bool payload = messages_->has_payload();
  if (payload) ++queued_;
  return SendDescriptor{
      .header = node_->header(group_.rank(member), handler_, payload ? bytes : 0,
                              messages_->argument(member, packet), chunks_for(bytes)),
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
