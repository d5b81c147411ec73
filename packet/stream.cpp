#include "packet/stream.hpp"

#include <utility>

namespace toroid {

void Stream::start(std::uint64_t messages) {
  if (messages == 0) return;
  if (std::exchange(to_queue_, to_queue_ + messages) == 0) node_->post(*this);
}

bool Stream::fill(OutputQueues& queues) {
  while (to_queue_ > 0) {
    if (!queues.has_room(queues.next())) return false;
    queues[queues.next()].push(describe(at_));
    queues.advance();
    at_ += kPayloadBytes;
    if (at_ < message_.size()) continue;
    at_ = 0;
    --to_queue_;
  }
  return true;
}

SendDescriptor Stream::describe(std::size_t at) {
  const auto bytes =
      static_cast<unsigned>(std::min<std::size_t>(message_.size() - at, kPayloadBytes));
  return {.header = node_->header(to_, handler_, bytes, static_cast<std::uint32_t>(at),
                                  chunks_for(bytes)),
          .source = this,
          .cookie = at};
}

void Stream::gather(const SendDescriptor& descriptor, std::span<std::byte, kPayloadBytes> payload) {
  const unsigned bytes = descriptor.header.payload_bytes();
  copy_payload(payload.data(), message_.data() + descriptor.cookie, bytes);
  if (descriptor.cookie + bytes == message_.size()) sent_.bump();
}

}  // namespace toroid
