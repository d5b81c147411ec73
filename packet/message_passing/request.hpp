// A send or a receive that is under way, and what programs await of several.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hal/shape.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// MPI's request and status in one. It must stay where it is, and its buffer with it, until it is
/// done.
struct MessageRequest {
  bool done = true;
  bool is_send = false;
  // Of a receive that is done: what has come. Else what was asked for.
  Rank peer = kAnySource;
  MessageTag tag = kAnyTag;
  std::uint32_t bytes = 0;

  std::string text() const;
};

/// A program that awaits this goes on when all of the requests are done.
class RequestsAwaiter final : public Awaiter {
 public:
  explicit RequestsAwaiter(std::span<const MessageRequest> requests) : requests_(requests) {}
  bool ready() override {
    while (!requests_.empty() && requests_.front().done) requests_ = requests_.subspan(1);
    return requests_.empty();
  }
  std::string text() const override { return requests_.front().text(); }

 private:
  std::span<const MessageRequest> requests_;  ///< from the first that was not done
};

}  // namespace toroid
