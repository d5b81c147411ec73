// A thread sleeps until another one has something for it.
#pragma once

#include <atomic>
#include <mutex>

#include "router/threads/atomics.hpp"

namespace toroid {

/// The sleeper calls prepare(), looks once more whether there is something for it, and calls
/// sleep() or stay_awake(). Another thread makes what it has visible by a sequentially consistent
/// store and then calls ring(). So either the sleeper's last look, by sequentially consistent
/// loads, sees it, or ring() sees the sleeper: no call is lost, though some are superfluous. One
/// thread sleeps, any may ring; while nobody sleeps that is one load.
///
/// Not std::atomic::wait(), which yields the core several times before it sleeps: on a busy host
/// each of these gives away a time slice, whereas who sleeps is soon scheduled when he is woken.
class alignas(64) Doorbell {
 public:
  void prepare() { asleep_.store(true); }
  void stay_awake() { asleep_.store(false, std::memory_order_relaxed); }
  /// Returns when somebody has rung since prepare().
  void sleep() {
    std::unique_lock lock(mutex_);
    rung_.wait(lock, [this] { return !asleep_.load(std::memory_order_relaxed); });
  }
  void ring() {
    if (asleep_.load()) wake();
  }

 private:
  /// Under the lock, so that it does not come between the sleeper's check and its sleep.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      asleep_.store(false, std::memory_order_relaxed);
    }
    rung_.notify_one();
  }

  // The sleeper's store in prepare() and the load in ring() are two of the four operations of which
  // at least one load sees the other thread's store.
  sync::atomic<bool> asleep_{false};
  sync::mutex mutex_;
  sync::condition_variable rung_;
};

}  // namespace toroid
