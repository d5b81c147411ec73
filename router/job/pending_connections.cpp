#include "router/job/pending_connections.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <cstddef>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/proof.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr std::size_t kMaxPending = 128;
constexpr int kAcceptedAtOnce = 16;

}  // namespace

void PendingConnections::close() {
  listener_.close();
  pending_.clear();
}

void PendingConnections::add_to(std::vector<pollfd>& polled) {
  if (!listener_) return;
  entry_ = polled.size();
  polled.push_back({listener_.fd(), POLLIN, 0});
  for (Pending& pending : pending_) pending.connection.add_to(polled);
}

void PendingConnections::serve(const std::vector<pollfd>& polled, Clock::time_point now,
                               const Objection& objection, const Admit& admit) {
  if (!listener_ || entry_ >= polled.size()) return;
  for (auto next = pending_.begin(); next != pending_.end();)
    serve_one(next++, polled, objection, admit);
  refuse_overdue(now);
  if (polled[entry_].revents != 0) accept_new(now);
}

void PendingConnections::serve_one(Iterator pending, const std::vector<pollfd>& polled,
                                   const Objection& objection, const Admit& admit) {
  const bool silent = pending->connection.events(polled) == 0;
  if (!silent && !read_proof(*pending)) return close_one(pending);
  if (!pending->proved) return;
  if (!is_admissible(*pending, objection)) return close_one(pending);
  pending->connection.send(Type::welcome, encode_welcome(pending->claim, key_));
  admit(pending->claim.rank, std::move(pending->connection));
  pending_.erase(pending);
}

/// The oldest is closed if there are too many: a process of the job proves itself at once.
void PendingConnections::accept_new(Clock::time_point now) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    Socket socket = accept_on(listener_);
    if (!socket) return;
    if (pending_.size() == kMaxPending) close_one(pending_.begin());
    Pending& pending = pending_.emplace_back(
        Pending{.connection = Connection(std::move(socket), kMaxStrangersFrame), .since = now});
    pending.connection.send(Type::challenge, encode_challenge(pending.challenge));
    pending.connection.write();
  }
}

void PendingConnections::close_one(Iterator pending) {
  if (pending->connection.has_heard() && !pending->proved) ++refused_;
  pending_.erase(pending);
}

/// False: the connection has ended, or sent something else than a proof.
bool PendingConnections::read_proof(Pending& pending) {
  const auto handle = [&](Type type, Bytes payload) {
    if (type != Type::hello || pending.proved) throw Malformed("not a hello");
    pending.claim = check_hello(payload, pending.challenge, key_);
    pending.proved = true;
  };
  try {
    return pending.connection.write() >= 0 &&
           pending.connection.read({handle, {}, false}) != Inbox::Read::end;
  } catch (const WrongKey&) {
    wrong_key_ = peer_address(pending.connection.socket());
    return false;
  } catch (const Malformed&) {
    return false;
  }
}

std::string PendingConnections::wrong_keys() const {
  return wrong_key_.empty()
             ? ""
             : fmt::format("; from {} came one that does not hold the same key", wrong_key_);
}

/// Tells a process that holds the key why it is not admitted.
bool PendingConnections::is_admissible(Pending& pending, const Objection& objection) {
  const Claim& claim = pending.claim;
  std::string why;
  if (claim.size != size_)
    why = fmt::format("this run has {} processes, not {}", size_, claim.size);
  else if (claim.rank == 0 || claim.rank >= size_)
    why = fmt::format("there is no process {} to join", claim.rank);
  else
    why = objection(claim.rank);
  if (why.empty()) return true;
  pending.connection.send(Type::refusal, Writer().put_text(why).bytes());
  pending.connection.write();
  return false;
}

void PendingConnections::refuse_overdue(Clock::time_point now) {
  while (!pending_.empty() && now - pending_.front().since > limit_) {
    ++refused_;
    pending_.pop_front();
  }
}

}  // namespace toroid::job
