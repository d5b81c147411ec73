#include "router/job/dial.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"
#include "router/job/proof.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeToConnect{2000};
constexpr milliseconds kTimeToAnswer{5000};
constexpr milliseconds kPause{100};
/// Time to go on after a refusal: another job that is about to end may still listen there.
constexpr milliseconds kTimeAfterRefusal{5000};

constexpr const char* kRefusal =
    "it does not hold the same key as this process (do both have the same job key?)";

struct Frame {
  Type type;
  Blob payload;
};

/// The other end has accepted the connection and sends nothing.
class NoAnswer : public std::exception {};

Bytes expect(const std::optional<Frame>& frame, Type type) {
  if (!frame || frame->type != type) throw Malformed("it is not process 0 of this version");
  return frame->payload;
}

class Dialer {
 public:
  Dialer(const Membership& membership, const JobOptions& options)
      : membership_(membership), patience_(options.patience), poll_(options.poll) {}

  Connection dial() {
    do {
      for (const std::string& host : membership_.master)
        if (Connection connection = try_at(host)) return connection;
      rest();
    } while (Clock::now() < began_ + patience_ && !is_hopeless());
    throw RunFailed(
        fmt::format("process {} cannot join process 0 at {} port {} within {:.1f} s: {}",
                    membership_.rank, fmt::join(membership_.master, ", "), membership_.port,
                    seconds(Clock::now() - began_), refused_ ? kRefusal : why_));
  }

 private:
  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  void rest() const {
    for (int i = 0; i < 2; ++i) {
      std::this_thread::sleep_for(kPause / 2);
      if (poll_) poll_();
    }
  }

  bool is_hopeless() const { return refused_ && Clock::now() > *refused_ + kTimeAfterRefusal; }

  /// `time`, but no longer than the patience lasts.
  milliseconds at_most(milliseconds time) const {
    const auto left = std::chrono::ceil<milliseconds>(began_ + patience_ - Clock::now());
    return std::clamp(left, kPause, time);
  }

  Connection try_at(const std::string& host) {
    Socket socket = connect_to(host, membership_.port, at_most(kTimeToConnect), why_, poll_);
    if (!socket) return {};
    Connection connection(std::move(socket), kMaxStrangersFrame);
    try {
      prove_at(connection);
    } catch (const Malformed& error) {
      why_ = error.what();
      return {};
    } catch (const NoAnswer&) {
      why_ = fmt::format("process 0 at {}:{} does not answer", host, membership_.port);
      return {};
    }
    connection.allow(kMaxFrame);
    return connection;
  }

  /// The next frame; none if the connection has ended. Throws NoAnswer.
  std::optional<Frame> answer_of(Connection& connection) const {
    std::optional<Frame> frame;
    const auto handle = [&](Type type, Bytes payload) {
      frame = Frame{type, Blob(payload.begin(), payload.end())};
    };
    const auto until = Clock::now() + at_most(kTimeToAnswer);
    while (!frame) {
      if (Clock::now() >= until) throw NoAnswer();
      wait_for(connection.socket(), POLLIN, kPause, poll_);
      if (connection.read({handle, {}, true}) == Inbox::Read::end) break;
    }
    return frame;
  }

  void prove_at(Connection& connection) {
    const Nonce challenge = decode_challenge(expect(answer_of(connection), Type::challenge));
    const Claim claim{membership_.rank, membership_.size, challenge, draw_nonce()};
    connection.send(Type::hello, encode_hello(claim, membership_.key));
    connection.write();
    const std::optional<Frame> answer = answer_of(connection);
    if (!answer && !refused_) refused_ = Clock::now();
    if (!answer) throw Malformed(kRefusal);
    if (answer->type == Type::refusal) throw RunFailed(objection(answer->payload));
    check_welcome(expect(answer, Type::welcome), claim, membership_.key);
  }

  std::string objection(const Blob& payload) const {
    const std::string why = Reader(payload).get_text();
    return fmt::format("process 0 refuses process {}: {}", membership_.rank, why);
  }

  const Membership& membership_;
  milliseconds patience_;
  Poll poll_;
  Clock::time_point began_ = Clock::now();
  std::optional<Clock::time_point> refused_;  ///< when process 0 refused this process first
  std::string why_ = "no address is known";
};

}  // namespace

Connection dial(const Membership& membership, const JobOptions& options) {
  return Dialer(membership, options).dial();
}

}  // namespace toroid::job
