// Lets a thread sleep until another one has something for it.
#pragma once

#include <atomic>
#include <mutex>

#include "router/threads/atomics.hpp"

namespace toroid {

/// The sleeper calls prepare(), checks once more whether there is something for it, and calls
/// sleep() or stay_awake(). Another thread makes its data visible by a sequentially consistent
/// store and then calls ring(). So either the sleeper's last check, by sequentially consistent
/// loads, sees the data, or ring() sees the sleeper: no wake-up is lost, though some are
/// superfluous. Only one thread sleeps; any thread may ring. While nobody sleeps, ring() is a
/// single load.
///
/// std::atomic::wait() is not used because it yields the core several times before it sleeps. On a
/// busy host each yield gives away a time slice, whereas a sleeping thread is soon scheduled when
/// it is woken.
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
  /// Takes the lock, so that the wake-up cannot come between the sleeper's check and its sleep.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      asleep_.store(false, std::memory_order_relaxed);
    }
    rung_.notify_one();
  }

  // The store in prepare() and the load in ring() belong to a pattern of two stores and two loads,
  // of which the other two access the data: at least one of the two loads sees the other thread's
  // store.
  sync::atomic<bool> asleep_{false};
  sync::mutex mutex_;
  sync::condition_variable rung_;
};

}  // namespace toroid
