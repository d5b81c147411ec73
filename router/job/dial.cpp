#include "router/job/dial.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ssl/context.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/loop.hpp"
#include "router/job/membership.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds kTimeToConnect{2000};
constexpr milliseconds kTimeToAnswer{5000};
constexpr milliseconds kPause{100};
/// Time to go on after a refusal: another job that is about to end may still listen there.
constexpr milliseconds kTimeAfterRefusal{5000};
constexpr const char* kRefusal =
    "it does not hold the same key as this process (do both have the same job key?)";

class Dialer {
 public:
  Dialer(Loop& loop, asio::ssl::context& tls, const Membership& membership,
         const JobOptions& options, const Caller& caller)
      : loop_(loop), tls_(tls), membership_(membership), options_(options), caller_(caller) {}

  void dial() {
    do {
      for (const std::string& host : membership_.master)
        if (try_host(host)) return;
      run(kPause, [] { return false; });
    } while (Clock::now() < began_ + options_.patience && !is_hopeless());
    throw RunFailed(
        fmt::format("process {} cannot join process 0 at {} port {} within {:.1f} s: {}",
                    membership_.rank, fmt::join(membership_.master, ", "), membership_.port,
                    seconds(Clock::now() - began_), refused_ ? kRefusal : why_));
  }

 private:
  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  bool is_hopeless() const { return refused_ && Clock::now() > *refused_ + kTimeAfterRefusal; }

  /// `time`, but no longer than the patience lasts.
  milliseconds at_most(milliseconds time) const {
    const auto left = std::chrono::ceil<milliseconds>(began_ + options_.patience - Clock::now());
    return std::clamp(left, kPause, time);
  }

  /// Runs the loop until `done()`. False: that was not within `time`.
  bool run(milliseconds time, const std::function<bool()>& done) {
    const auto until = Clock::now() + time;
    while (!done()) {
      if (Clock::now() >= until) return false;
      loop_.run(std::min(kPollPeriod, std::chrono::ceil<milliseconds>(until - Clock::now())));
      if (options_.poll) options_.poll();
    }
    return true;
  }

  bool try_host(const std::string& host) {
    std::error_code error;
    const auto found =
        tcp::resolver(loop_.context())
            .resolve(host, std::to_string(membership_.port), tcp::resolver::numeric_service, error);
    if (error) why_ = error.message();
    for (const auto& entry : found)
      if (Socket socket = connect(entry.endpoint()))
        if (say_hello(std::move(socket), host)) return true;
    return false;
  }

  Socket connect(const tcp::endpoint& at) {
    const auto socket = std::make_shared<tcp::socket>(loop_.context());
    const auto result = std::make_shared<std::optional<std::error_code>>();
    socket->async_connect(at, [socket, result](const std::error_code& error) { *result = error; });
    if (!run(at_most(kTimeToConnect), [&] { return result->has_value(); })) {
      socket->close();
      *result = std::make_error_code(std::errc::timed_out);
    }
    if (**result) why_ = (*result)->message();
    return **result ? Socket() : Socket(socket->release());
  }

  /// Whether process 0 has admitted this process.
  bool say_hello(Socket socket, const std::string& host) {
    const auto connection = std::make_shared<Connection>(loop_, tls_, std::move(socket));
    const auto admitted = std::make_shared<bool>(false);
    const auto ended = std::make_shared<std::optional<End>>();
    connection->start(
        true,
        {.message =
             [this, admitted, at = std::weak_ptr(connection)](const Message& message) {
               handle(message);
               *admitted = true;
               caller_.admitted(at.lock());
             },
         .ended = [ended](End how) { *ended = how; }},
        [this, at = std::weak_ptr(connection)] {
          const ConnectionPtr to = at.lock();
          to->send(caller_.hello(*to));
        });
    run(at_most(kTimeToAnswer), [&] { return *admitted || *ended; });
    if (*admitted) return true;
    if (!*ended) connection->close();
    note_refusal(*ended, host);
    return false;
  }

  void handle(const Message& message) const {
    if (message.at("is") == "refusal")
      throw RunFailed(fmt::format("process 0 refuses process {}: {}", membership_.rank,
                                  message.at("why").get<std::string>()));
    if (message.at("is") == "failure") throw RunFailed(message.at("why"));
    if (message.at("is") != "welcome") throw Malformed("not a welcome");
  }

  void note_refusal(std::optional<End> ended, const std::string& host) {
    if (!ended)
      why_ = fmt::format("process 0 at {}:{} does not answer", host, membership_.port);
    else if (*ended == End::wrong_key)
      refused_ = refused_.value_or(Clock::now());
    else
      why_ = "it is not process 0 of this version";
  }

  Loop& loop_;
  asio::ssl::context& tls_;
  const Membership& membership_;
  const JobOptions& options_;
  const Caller& caller_;
  Clock::time_point began_ = Clock::now();
  std::optional<Clock::time_point> refused_;  ///< when the other end first had another key
  std::string why_ = "no address is known";
};

}  // namespace

void dial(Loop& loop, asio::ssl::context& tls, const Membership& membership,
          const JobOptions& options, const Caller& caller) {
  Dialer(loop, tls, membership, options, caller).dial();
}

}  // namespace toroid::job
