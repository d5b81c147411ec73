// Whether other work wants the cores that a run's threads have.
#pragma once

#include <sys/resource.h>

#include <atomic>

namespace toroid {

/// A thread that waits awake for another that has lost its core waits for long, and keeps what the
/// other could do in its place. All threads of a run share one of these; each looks now and then.
class Crowding {
 public:
  /// `known`: how often the calling thread has lost its core, as it knew last time.
  void look(long& known) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    const unsigned left = left_.load(std::memory_order_relaxed);
    if (usage.ru_nivcsw != known)
      left_.store(kLooks, std::memory_order_relaxed);
    else if (left > 0)
      left_.store(left - 1, std::memory_order_relaxed);
    known = usage.ru_nivcsw;
  }
  /// Some thread has lost its core of late.
  bool is_crowded() const { return left_.load(std::memory_order_relaxed) > 0; }

 private:
  static constexpr unsigned kLooks = 8;  ///< of all threads, after which it is forgotten
  std::atomic<unsigned> left_{0};        ///< a guess: updates of two threads may be lost
};

}  // namespace toroid
