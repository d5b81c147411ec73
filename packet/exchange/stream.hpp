// Point to point: sends the same buffer to another node, message after message, in packets that are
// filled straight from the buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// Sends one message any number of times. A packet's argument is the offset of its first byte in
/// the message. The stream must live until sent() has counted every message; otherwise the run
/// ends.
class Stream final : public PayloadSource, public Outgoing {
 public:
  /// `message` must outlive the stream. A message of no bytes is one empty packet.
  Stream(Node& node, HandlerId handler, Rank to, std::span<const std::byte> message)
      : node_(&node),
        handler_(handler),
        to_(to),
        message_(message),
        attachment_(node, "Stream", *this) {}
  ~Stream() override { attachment_.detach(sent_.value() < started_); }

  /// Number of packets of one message.
  std::uint64_t packets() const { return packets_of(message_.size()); }
  static std::uint64_t packets_of(std::uint64_t bytes) {
    return std::max<std::uint64_t>(1, packets_for(bytes));
  }
  /// Sends the message `messages` more times.
  void start(std::uint64_t messages = 1);
  /// Number of messages whose packets have all left the node's queues. When it has reached the
  /// number of messages started, the buffer is no longer needed. A smaller number does not say
  /// which messages have left.
  const Counter& sent() const { return sent_; }

  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  SendDescriptor describe();
  bool try_pass();

  Node* node_;
  HandlerId handler_;
  Rank to_;
  std::span<const std::byte> message_;
  std::uint64_t to_queue_ = 0;  ///< messages left to queue, including the one being queued
  std::size_t at_ = 0;          ///< bytes of the message being queued that are in the queue
  std::uint64_t gathered_ = 0;  ///< packets gathered of a message; their order may differ from that
                                ///< of queuing
  std::uint64_t started_ = 0;   ///< messages
  Counter sent_{"messages of the stream sent"};
  Attachment attachment_;
};

}  // namespace toroid
