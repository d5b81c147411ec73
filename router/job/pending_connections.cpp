#include "router/job/pending_connections.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <cstddef>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "router/job/awake_clock.hpp"
#include "router/job/connection.hpp"
#include "router/job/proof.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr std::size_t kMaxGuests = 128;
constexpr int kAtOnce = 16;

}  // namespace

void Lobby::close() {
  listener_.close();
  guests_.clear();
}

void Lobby::join(std::vector<pollfd>& polled) {
  if (!listener_) return;
  entry_ = polled.size();
  polled.push_back({listener_.fd(), POLLIN, 0});
  for (Guest& guest : guests_) guest.connection.join(polled);
}

void Lobby::serve(const std::vector<pollfd>& polled, Clock::time_point now,
                  const Objection& objection, const Admit& admit) {
  if (!listener_ || entry_ >= polled.size()) return;
  for (auto guest = guests_.begin(); guest != guests_.end();) {
    const auto here = guest++;
    const bool silent = here->connection.events(polled) == 0;
    if (!silent && !hears(*here))
      dismiss(here);
    else if (here->proved && !has_place(*here, objection))
      dismiss(here);
    else if (here->proved) {
      here->connection.send(Type::welcome, encode_welcome(here->claim, key_));
      admit(here->claim.rank, std::move(here->connection));
      guests_.erase(here);
    }
  }
  refuse_overdue(now);
  if (polled[entry_].revents != 0) let_in(now);
}

/// The oldest one has to go where there are too many: one that belongs here needs no time.
void Lobby::let_in(Clock::time_point now) {
  for (int i = 0; i < kAtOnce; ++i) {
    Socket socket = accept_on(listener_);
    if (!socket) return;
    if (guests_.size() == kMaxGuests) dismiss(guests_.begin());
    Guest& guest = guests_.emplace_back(
        Guest{.connection = Connection(std::move(socket), kMaxStrangersFrame), .since = now});
    guest.connection.send(Type::challenge, encode_challenge(guest.challenge));
    guest.connection.write();
  }
}

/// One that proved who it is may have given up and dialled again; one without a word proves nothing
/// against itself.
void Lobby::dismiss(std::list<Guest>::iterator guest) {
  if (guest->connection.has_heard() && !guest->proved) ++refused_;
  guests_.erase(guest);
}

/// Whether it is still there and has done no wrong so far.
bool Lobby::hears(Guest& guest) {
  const auto hear = [&](Type type, Bytes payload) {
    if (type != Type::hello || guest.proved) throw Malformed("not a hello");
    guest.claim = check_hello(payload, guest.challenge, key_);
    guest.proved = true;
  };
  try {
    return guest.connection.write() >= 0 &&
           guest.connection.read({hear, {}, false}) != Inbox::Read::end;
  } catch (const Malformed&) {
    return false;
  }
}

/// One that holds the key is told what is wrong with it.
bool Lobby::has_place(Guest& guest, const Objection& objection) {
  const Claim& claim = guest.claim;
  std::string why;
  if (claim.size != size_)
    why = fmt::format("this run has {} processes, not {}", size_, claim.size);
  else if (claim.rank == 0 || claim.rank >= size_)
    why = fmt::format("there is no process {} to join", claim.rank);
  else
    why = objection(claim.rank);
  if (why.empty()) return true;
  guest.connection.send(Type::refusal, Writer().put_text(why).bytes());
  guest.connection.write();
  return false;
}

void Lobby::refuse_overdue(Clock::time_point now) {
  while (!guests_.empty() && now - guests_.front().since > time_) {
    ++refused_;
    guests_.pop_front();
  }
}

}  // namespace toroid::job
