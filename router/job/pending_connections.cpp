#include "router/job/pending_connections.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/version.hpp"
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

namespace {

/// The version of a process with another protocol.
std::string version_in(const Message& hello) {
  return hello.contains("version") ? shortened(hello.at("version").get<std::string>())
                                   : "0.2.0 or older";
}

}  // namespace

void PendingConnections::serve_one(Iterator pending, const Objection& objection,
                                   const Admit& admit) {
  const auto take = [&](const Message& message, const std::vector<Blob>&) {
    if (message.at("is") != "hello") throw Malformed("not a hello");
    if (message.at("protocol") == kProtocol)
      pending->hello = message.get<Hello>();
    else
      pending->other_version = version_in(message);
  };
  const auto end = pending->connection->read(take, true);
  if (end == End::wrong_key) wrong_key_ = pending->connection->peer_address();
  if (end) return close_one(pending, end == End::malformed);
  if (pending->hello) return answer(pending, objection(*pending->hello), admit);
  if (pending->other_version) answer(pending, refusal_of(pending), admit);
}

std::string PendingConnections::refusal_of(Iterator pending) {
  other_version_ =
      fmt::format("toroid {} at {}", *pending->other_version, pending->connection->peer_address());
  return fmt::format(
      "it has toroid {}, process 0 has toroid {}; all processes of a job must have "
      "the same version",
      *pending->other_version, kVersion);
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
  std::string text;
  if (!wrong_key_.empty())
    text += fmt::format("; a process at {} does not hold the same key", wrong_key_);
  if (!other_version_.empty()) text += fmt::format("; {} is another version", other_version_);
  return text;
}

}  // namespace toroid::job
