// The event loop of a job's process.
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <mutex>
#include <utility>

#include "router/job/clocks.hpp"

namespace asio {
class io_context;
}

namespace toroid::job {

/// Asio's loop, with the mutex that guards the state of a job.
///
/// **Threads:** one thread at a time calls run(): the program's until the process has joined, then
/// the job's. **Locking:** handlers are given to Asio through locked(), so they run with the mutex.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  asio::io_context& context() { return *context_; }
  std::mutex& mutex() { return mutex_; }

  /// Waits at most for `time` until something happens, and handles what has happened, but not for
  /// long. Called without the mutex.
  void run(std::chrono::milliseconds time);
  /// Ends the wait of run(). Any thread may call it.
  void wake();

  template <typename Handler>
  auto locked(Handler handler) {
    return [ this, handler = std::move(handler) ]<typename... Arguments>(
        const Arguments&... arguments) mutable requires std::invocable<Handler&,
                                                                       const Arguments&...> {
      const std::lock_guard lock(mutex_);
      handler(arguments...);
    };
  }

  /// When a connection has last written or read bytes. With the mutex.
  Clock::time_point moved_at() const { return moved_at_; }
  void note_motion() { moved_at_ = Clock::now(); }

 private:
  std::mutex mutex_;
  Clock::time_point moved_at_{};
  std::unique_ptr<asio::io_context> context_;  ///< destroyed first: with the handlers
};

}  // namespace toroid::job
