#include "packet/exchange/stream.hpp"

#include <utility>

#include "packet/node/message_record.hpp"

namespace toroid {

void Stream::start(std::uint64_t messages) {
  if (messages == 0) return;
  started_ += messages;
  if (RankRecord* const record = node_->record())
    for (std::uint64_t m = 0; m < messages; ++m)
      record->send(node_->now(), to_, message_.size(), handler_);
  if (to_queue_ == 0 && messages == 1 && try_pass()) return;
  if (std::exchange(to_queue_, to_queue_ + messages) == 0) node_->post(*this);
}

/// Sends a message of one packet at once if possible, without waiting for a turn.
bool Stream::try_pass() {
  if (message_.size() > kPayloadBytes || !node_->try_pass(describe(), message_)) return false;
  sent_.bump();
  return true;
}

bool Stream::fill(OutputQueues& queues) {
  while (to_queue_ > 0) {
    if (!queues.has_room(queues.next())) return false;
    const SendDescriptor next = describe();
    queues[queues.next()].push(next);
    queues.advance();
    at_ += std::size_t{next.packets} * kPayloadBytes;
    if (at_ < message_.size()) continue;
    at_ = 0;
    --to_queue_;
  }
  return true;
}

/// Describes all full packets of the message that have not been queued or, if there are none, its
/// last packet.
SendDescriptor Stream::describe() {
  const std::size_t left = message_.size() - at_;
  const auto bytes = static_cast<unsigned>(std::min<std::size_t>(left, kPayloadBytes));
  SendDescriptor made = node_->descriptor(to_, handler_, bytes, 0, chunks_for(bytes));
  made.source = this;
  made.cookie = at_;
  made.packets = static_cast<std::uint32_t>(std::max<std::size_t>(1, left / kPayloadBytes));
  return made;
}

std::uint32_t Stream::gather(const SendDescriptor& descriptor, std::uint32_t number,
                             std::span<std::byte, kPayloadBytes> payload) {
  const unsigned bytes = descriptor.header.payload_bytes();
  const std::size_t at = descriptor.cookie + std::size_t{number} * kPayloadBytes;
  copy_payload(payload.data(), message_.data() + at, bytes);
  if (++gathered_ == packets()) {
    gathered_ = 0;
    sent_.bump();
  }
  return static_cast<std::uint32_t>(at);
}

}  // namespace toroid
