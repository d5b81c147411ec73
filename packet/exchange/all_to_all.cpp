#include "packet/exchange/all_to_all.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "hal/check.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"

namespace toroid {

MessageRun run_of(std::uint64_t bytes, unsigned per_packet, std::uint32_t first,
                  std::uint32_t limit) {
  const std::uint64_t begin = std::uint64_t{first} * per_packet;
  if (begin >= bytes) return {};
  const std::uint64_t full = (bytes - begin) / per_packet;
  if (full == 0) return {static_cast<unsigned>(bytes - begin), 1};
  return {per_packet, static_cast<std::uint32_t>(std::min<std::uint64_t>(full, limit))};
}

MessageRun Messages::run(Rank member, std::uint32_t first, std::uint32_t limit) const {
  return run_of(bytes_to(member), kPayloadBytes, first, limit);
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
  if (node.record() == nullptr) return;
  recording_ = std::make_unique<Recording>(
      node.order(node.options().order, group.self(), group.size()).first(schedule.peers));
  node.on(handler, [this](const Packet& packet) {
    messages_->arrive(packet);
    received_.bump();
    note_received();
  });
}

void AllToAll::start() {
  TOROID_CHECK_EQ(sent_.value(), starts_);
  ++starts_;
  expected_ += messages_->packets_expected();
  if (recording_ != nullptr) note_started();
  fill_ = first_fill_;
  if (fill_.done()) return note_sent();
  node_->post(*this);
}

bool AllToAll::fill(OutputQueues& queues) {
  fill_.run(queues, [this](Rank member, std::uint32_t first, std::uint32_t limit) {
    return describe(member, first, limit);
  });
  if (!fill_.done()) return false;
  note_sent();
  return true;
}

std::string AllToAllAwaiter::text() const {
  const Counter& received = exchange_->received();
  const std::uint64_t expected = exchange_->expected_so_far();
  if (received.value() < expected)
    return fmt::format("{} at {} of {}", received.name(), received.value(), expected);
  return "packets of its own exchange to leave its output queues";
}

void AllToAll::note_started() {
  for (const Rank member : recording_->order)
    if (const std::uint64_t bytes = messages_->bytes_to(member); bytes > 0)
      node_->record()->send(node_->now(), group_.rank(member), bytes, handler_,
                            static_cast<std::uint32_t>(starts_ - 1));
  recording_->complete_at.push_back(expected_);
  note_received();
}

void AllToAll::note_received() {
  std::deque<std::uint64_t>& complete_at = recording_->complete_at;
  for (; !complete_at.empty() && received_.value() >= complete_at.front(); complete_at.pop_front())
    node_->record()->received(node_->now(), handler_, RankRecord::kEverybody,
                              starts_ - complete_at.size() + 1);
}

void AllToAll::note_sent() {
  if (fill_.done() && queued_ == 0) sent_.bump();
}

/// Where no payload travels nobody asks for the arguments later, so that each packet is described
/// by itself.
std::optional<SendDescriptor> AllToAll::describe(Rank member, std::uint32_t first,
                                                 std::uint32_t limit) {
  const bool payload = messages_->has_payload();
  const MessageRun run = messages_->run(member, first, payload ? limit : 1);
  if (run.packets == 0) return std::nullopt;
  if (payload) queued_ += run.packets;
  const std::uint32_t argument = payload ? 0 : messages_->gather(member, first, {});
  return SendDescriptor{
      .header = node_->header(group_.rank(member), handler_, payload ? run.bytes : 0, argument,
                              chunks_for(run.bytes)),
      .source = payload ? this : nullptr,
      .cookie = std::uint64_t{member} << 32 | first,
      .packets = run.packets};
}

std::uint32_t AllToAll::gather(const SendDescriptor& descriptor, std::uint32_t number,
                               std::span<std::byte, kPayloadBytes> payload) {
  const auto member = static_cast<Rank>(descriptor.cookie >> 32);
  const std::uint32_t packet = static_cast<std::uint32_t>(descriptor.cookie) + number;
  --queued_;
  note_sent();
  return messages_->gather(member, packet, payload.first(descriptor.header.payload_bytes()));
}

}  // namespace toroid
