#include "router/job/dial.hpp"

#include <fmt/core.h>
#include <asio/ip/tcp.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/version.hpp"
#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds kTimeToConnect{2000};
constexpr milliseconds kTimeToAnswer{5000};
constexpr milliseconds kPause{100};
/// Time to go on trying after a refusal, because another job that is about to end may still listen
/// at this address.
constexpr milliseconds kTimeAfterRefusal{5000};
constexpr milliseconds kStopPeriod{50};
constexpr const char* kRefusal =
    "it does not hold the same key as this process (do both have the same job key?)";

class Dialer {
 public:
  Dialer(Loop& loop, const Tls& tls, const Bootstrap& bootstrap, const JobOptions& options,
         ProcessInfo self, const std::function<bool()>& stop)
      : loop_(loop),
        tls_(tls),
        bootstrap_(bootstrap),
        self_(std::move(self)),
        stop_(stop),
        until_(began_ + options.patience) {}

  std::unique_ptr<Connection> dial() {
    do {
      for (const std::string& host : bootstrap_.master)
        for (const auto& entry : resolve(host))
          if (auto connection = try_at(entry.endpoint())) return connection;
      run(kPause, [] { return false; });
    } while (Clock::now() < until_ && !is_hopeless() && !stop_());
    if (stop_()) return nullptr;
    throw RunFailed(
        fmt::format("process {} cannot join process 0 at {} port {} within {:.1f} s: {}",
                    bootstrap_.rank, fmt::join(bootstrap_.master, ", "), bootstrap_.port,
                    seconds(Clock::now() - began_), refused_ ? kRefusal : why_));
  }

 private:
  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  bool is_hopeless() const { return refused_ && Clock::now() > *refused_ + kTimeAfterRefusal; }

  /// Runs the loop until `done()`. Returns false if `time` or the patience is over first, or if
  /// `stop_()` is true. If the patience is already over, still runs the loop for kPause.
  bool run(milliseconds time, const std::function<bool()>& done) {
    const auto until =
        Clock::now() + std::clamp<Clock::duration>(until_ - Clock::now(), kPause, time);
    while (!done()) {
      if (Clock::now() >= until || stop_()) return false;
      const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
      loop_.run(std::clamp(left, milliseconds(1), kStopPeriod));
    }
    return true;
  }

  tcp::resolver::results_type resolve(const std::string& host) {
    std::error_code error;
    const auto found =
        tcp::resolver(loop_.context())
            .resolve(host, std::to_string(bootstrap_.port), tcp::resolver::numeric_service, error);
    if (error) why_ = error.message();
    return found;
  }

  /// Tries to reach process 0 at this address. Returns the connection on which process 0 has
  /// welcomed this process; null if there is none.
  std::unique_ptr<Connection> try_at(const tcp::endpoint& at) {
    tcp::socket socket(loop_.context());
    const auto error = std::make_shared<std::optional<std::error_code>>();
    socket.async_connect(at, [error](const std::error_code& end) { *error = end; });
    if (!run(kTimeToConnect, [&] { return error->has_value(); }))
      *error = std::make_error_code(std::errc::timed_out);
    if (!**error) return prove_at(std::make_unique<Connection>(std::move(socket), tls_, true), at);
    why_ = (*error)->message();
    return nullptr;
  }

  std::unique_ptr<Connection> prove_at(std::unique_ptr<Connection> connection,
                                       const tcp::endpoint& at) {
    self_.address = connection->own_address();
    Message hello = Hello{bootstrap_.rank, bootstrap_.size, self_};
    hello.update({{"is", "hello"}, {"protocol", kProtocol}, {"version", kVersion}});
    connection->send(hello);
    std::optional<End> end;
    bool welcome = false;
    run(kTimeToAnswer, [&] {
      connection->write();
      end = connection->read(
          [&](const Message& said, const std::vector<Blob>&) { welcome = is_welcome(said); }, true);
      return end || welcome;
    });
    if (welcome) return connection;
    note_refusal(end, at);
    return nullptr;
  }

  /// Throws RunFailed if process 0 refuses with a reason: then dialling again is useless.
  bool is_welcome(const Message& message) const {
    const std::string is = message.at("is");
    if (is == "refusal")
      throw RunFailed(fmt::format("process 0 refuses process {}: {}", bootstrap_.rank,
                                  message.at("why").get<std::string>()));
    if (is == "failure") throw RunFailed(message.at("why").get<std::string>());
    if (is != "welcome") throw Malformed("unexpected message before the welcome");
    return true;
  }

  void note_refusal(std::optional<End> end, const tcp::endpoint& at) {
    if (end == End::wrong_key && !refused_) refused_ = Clock::now();
    if (end == End::lost)
      why_ = "process 0 closed the connection";
    else
      why_ = end ? "the program there is not process 0 of this toroid version"
                 : fmt::format("process 0 at {}:{} does not answer", at.address().to_string(),
                               at.port());
  }

  Loop& loop_;
  const Tls& tls_;
  const Bootstrap& bootstrap_;
  ProcessInfo self_;
  const std::function<bool()>& stop_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point until_;
  std::optional<Clock::time_point> refused_;  ///< time of the first refusal for a wrong key
  std::string why_ = "no address is known";
};

}  // namespace

std::unique_ptr<Connection> dial(Loop& loop, const Tls& tls, const Bootstrap& bootstrap,
                                 const JobOptions& options, ProcessInfo self,
                                 const std::function<bool()>& stop) {
  return Dialer(loop, tls, bootstrap, options, std::move(self), stop).dial();
}

}  // namespace toroid::job
