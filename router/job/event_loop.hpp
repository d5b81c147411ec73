// The event loop of a job's process, based on Asio.
#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/socket_base.hpp>

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

namespace toroid::job {

/// Waits for sockets, without any lock. The caller then checks the state of its sockets with
/// Readiness, so that it does all work under its own lock.
class Loop {
 public:
  asio::io_context& context() { return context_; }
  /// Waits at most for `time` until something happens.
  void run(std::chrono::milliseconds time) {
    if (time.count() > 0) context_.run_one_for(time);
    context_.poll();
  }
  /// Ends the wait of run(). Any thread may call it.
  void wake() {
    asio::post(context_, [] {});
  }

 private:
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ =
      asio::make_work_guard(context_);
};

/// Whether it is worth trying to read from a socket, or to write to it. **Rule:** await() is called
/// after an attempt that would block; from then on the loop watches the socket until it is ready.
class Readiness {
 public:
  explicit operator bool() const { return !*awaited_; }
  template <typename Socket>
  void await(Socket& socket, asio::socket_base::wait_type what) {
    if (std::exchange(*awaited_, true)) return;
    socket.async_wait(what, [awaited = awaited_](const std::error_code&) { *awaited = false; });
  }

 private:
  /// Shared with the wait's handler.
  std::shared_ptr<bool> awaited_ = std::make_shared<bool>(false);
};

}  // namespace toroid::job
