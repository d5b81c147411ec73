// Whether other work competes for the cores of a run's threads.
#pragma once

#include <sys/resource.h>

#include <atomic>

namespace toroid {

/// If a thread has lost its core, threads that wait for it should not spin: the wait is long, and
/// they occupy cores that this thread could use. All threads of a run share one object; each calls
/// look() now and then.
class CoreContention {
 public:
  /// `known` is the number of times that the calling thread had lost its core at its previous call.
  /// look() updates it.
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
  /// Whether some thread has lost its core recently.
  bool is_crowded() const { return left_.load(std::memory_order_relaxed) > 0; }

 private:
  static constexpr unsigned kLooks = 8;  ///< a loss is forgotten after this many looks of all
                                         ///< threads together
  std::atomic<unsigned> left_{0};        ///< approximate: concurrent updates may be lost
};

}  // namespace toroid
