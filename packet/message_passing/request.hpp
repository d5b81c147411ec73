// A send or a receive in progress, and the awaiter for several of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hal/shape.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// MPI's request and status in one. The request and its buffer must stay in place until it is done:
/// a request that is destroyed before ends the run.
struct MessageRequest {
  MessageRequest() = default;
  /// For containers. A request that is not done may not move: it ends the run when it is destroyed.
  MessageRequest(MessageRequest&& other) noexcept
      : done(other.done),
        is_send(other.is_send),
        peer(other.peer),
        tag(other.tag),
        bytes(other.bytes) {}
  ~MessageRequest() { attachment_.detach(!done); }

  bool done = true;
  bool is_send = false;
  // If a receive is done, these describe the message that came. Otherwise they describe what was
  // asked for.
  Rank peer = kAnySource;
  MessageTag tag = kAnyTag;
  std::uint32_t bytes = 0;

  std::string text() const;

 private:
  friend class MessagePassing;
  void begin(Node& node, bool sends, Rank with, MessageTag its_tag, std::uint32_t its_bytes);
  void end() {
    done = true;
    attachment_.detach(false);
  }
  Attachment attachment_;  ///< while it is not done
};

/// A program that awaits this goes on when all of the requests are done.
class [[nodiscard]] RequestsAwaiter final : public Awaiter {
 public:
  explicit RequestsAwaiter(std::span<const MessageRequest> requests) : requests_(requests) {}
  bool ready() override {
    while (!requests_.empty() && requests_.front().done) requests_ = requests_.subspan(1);
    return requests_.empty();
  }
  std::string text() const override { return requests_.front().text(); }

 private:
  std::span<const MessageRequest> requests_;  ///< from the first one that was not done when ready()
                                              ///< was last called
};

}  // namespace toroid
