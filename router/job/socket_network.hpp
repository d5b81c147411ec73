// The network of a real process: sockets, TLS and the steady clock.
#pragma once

#include <asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "router/job/clocks.hpp"
#include "router/job/event_loop.hpp"
#include "router/job/key.hpp"
#include "router/job/network.hpp"
#include "router/job/tls.hpp"

namespace toroid::job {

/// The sockets of a process. The job's thread calls all functions; any thread may call now() and
/// wake().
class SocketNetwork final : public Network {
 public:
  explicit SocketNetwork(const JobKey& key) : tls_(key) {}

  /// Waits at most for `time` until a socket is ready or another thread calls wake().
  void wait(std::chrono::milliseconds time) { loop_.run(time); }
  void wake() { loop_.wake(); }

  Clock::time_point now() const override { return Clock::now(); }
  std::uint64_t random_word() override { return toroid::random_word(); }
  std::string listen(const Bootstrap& bootstrap) override;
  void stop_listening() override;
  std::unique_ptr<Stream> accept() override;
  Resolved resolve(const std::string& host) override;
  std::unique_ptr<Call> call(const std::string& address, std::uint16_t port) override;

 private:
  const Tls tls_;
  Loop loop_;
  asio::ip::tcp::acceptor acceptor_{loop_.context()};
  Readiness acceptable_;
};

}  // namespace toroid::job
