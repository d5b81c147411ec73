#include "router/job/pending_connections.hpp"

#include <fmt/core.h>
#include <asio/ip/tcp.hpp>
#include <asio/ssl/context.hpp>

#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/loop.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;

constexpr std::size_t kMaxPending = 128;

}  // namespace

struct PendingConnections::Listener {
  tcp::acceptor acceptor;
  tcp::socket accepted;
  bool waits = false;
};

PendingConnections::PendingConnections(Loop& loop, asio::ssl::context& tls, Clock::duration limit,
                                       Objection objection, Admit admit)
    : loop_(loop),
      tls_(tls),
      limit_(limit),
      objection_(std::move(objection)),
      admit_(std::move(admit)) {}

PendingConnections::~PendingConnections() = default;

void PendingConnections::open(Socket listener) {
  const bool v4 = own_address(listener).find(':') == std::string::npos;
  listener_.reset(new Listener{tcp::acceptor(loop_.context()), tcp::socket(loop_.context())});
  listener_->acceptor.assign(v4 ? tcp::v4() : tcp::v6(), listener.release());
  accept();
}

void PendingConnections::close() {
  if (listener_) listener_->acceptor.close();
  for (Pending& pending : pending_) pending.connection->close();
  pending_.clear();
}

/// After an error, as of too many open files, the next tick() tries again.
void PendingConnections::accept() {
  if (!listener_ || !listener_->acceptor.is_open() || std::exchange(listener_->waits, true)) return;
  listener_->acceptor.async_accept(listener_->accepted,
                                   loop_.locked([this](const std::error_code& error) {
                                     if (!listener_->acceptor.is_open()) return;
                                     listener_->waits = false;
                                     if (error) return;
                                     add(Socket(listener_->accepted.release()));
                                     accept();
                                   }));
}

/// The oldest is closed if there are too many: a process of the job proves itself at once.
void PendingConnections::add(Socket socket) {
  if (pending_.size() == kMaxPending) refuse_oldest();
  make_private(socket);
  pending_.push_back({std::make_shared<Connection>(loop_, tls_, std::move(socket)), now_});
  const auto pending = std::prev(pending_.end());
  pending->connection->start(
      false,
      {.message = [this, pending](const Message& hello) { handle_hello(pending, hello); },
       .ended = [this, pending](End how) { handle_end(pending, how); }},
      [pending] { pending->proved = true; });
}

/// Tells a process that holds the key why it is not admitted.
void PendingConnections::handle_hello(Iterator pending, const Message& hello) {
  if (hello.at("is") != "hello" || hello.at("protocol") != kProtocol)
    throw Malformed("not a hello of this version");
  const std::string why = objection_(hello);
  if (!why.empty()) {
    pending->connection->send({{"is", "refusal"}, {"why", why}});
    return pending->connection->finish();
  }
  const ConnectionPtr connection = std::move(pending->connection);
  pending_.erase(pending);
  admit_(hello, connection);
}

void PendingConnections::handle_end(Iterator pending, End how) {
  if (how == End::wrong_key) wrong_key_ = pending->connection->peer_address();
  if (how == End::malformed || (pending->connection->has_heard() && !pending->proved)) ++refused_;
  pending_.erase(pending);
}

void PendingConnections::refuse_oldest() {
  if (pending_.front().connection->has_heard() && !pending_.front().proved) ++refused_;
  pending_.front().connection->close();
  pending_.pop_front();
}

void PendingConnections::tick(Clock::time_point now) {
  now_ = now;
  accept();
  while (!pending_.empty() && now - pending_.front().since > limit_) {
    ++refused_;
    pending_.front().connection->close();
    pending_.pop_front();
  }
}

std::string PendingConnections::wrong_keys() const {
  return wrong_key_.empty()
             ? ""
             : fmt::format("; from {} came one that does not hold the same key", wrong_key_);
}

}  // namespace toroid::job
