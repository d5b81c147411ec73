#include "router/job/pending_connections.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"

namespace toroid::job {
namespace {

constexpr std::size_t kMaxPending = 128;
constexpr int kAcceptedAtOnce = 16;

}  // namespace

void PendingConnections::close() {
  network_.stop_listening();
  pending_.clear();
}

void PendingConnections::serve(Clock::time_point now, const Objection& objection,
                               const Admit& admit) {
  for (auto next = pending_.begin(); next != pending_.end();) serve_one(next++, objection, admit);
  while (!pending_.empty() && now - pending_.front().since > limit_)
    close_one(pending_.begin(), true);
  accept(now);
}

/// If too many connections are pending, closes the oldest one, because a process of the job would
/// already have proved that it holds the key.
void PendingConnections::accept(Clock::time_point now) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    auto stream = network_.accept();
    if (!stream) return;
    if (pending_.size() == kMaxPending) close_one(pending_.begin(), false);
    pending_.push_back({std::make_unique<Connection>(std::move(stream)), now});
  }
}

void PendingConnections::serve_one(Iterator pending, const Objection& objection,
                                   const Admit& admit) {
  const auto take = [&](const Message& message, const std::vector<Blob>&) {
    if (message.at("is") != "hello" || message.at("protocol") != kProtocol)
      throw Malformed("not a hello of this version");
    pending->hello = message.get<Hello>();
  };
  const auto end = pending->connection->read(take, true);
  if (end == End::wrong_key) wrong_key_ = pending->connection->peer_address();
  if (end) return close_one(pending, end == End::malformed);
  if (pending->hello) answer(pending, objection(*pending->hello), admit);
}

/// Tells a process that holds the key whether it is admitted or why not.
void PendingConnections::answer(Iterator pending, const std::string& why, const Admit& admit) {
  Pending one = std::move(*pending);
  pending_.erase(pending);
  one.connection->send(why.empty() ? Message{{"is", "welcome"}}
                                   : Message{{"is", "refusal"}, {"why", why}});
  one.connection->write();
  if (why.empty()) admit(*one.hello, std::move(one.connection));
}

void PendingConnections::close_one(Iterator pending, bool refused) {
  const Connection& connection = *pending->connection;
  if (refused || (connection.bytes_read() > 0 && !connection.is_proved())) ++refused_;
  pending_.erase(pending);
}

std::string PendingConnections::wrong_keys() const {
  return wrong_key_.empty()
             ? ""
             : fmt::format("; a process at {} does not hold the same key", wrong_key_);
}

}  // namespace toroid::job
