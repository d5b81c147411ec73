// A barrier for threads that meet often and wait for less than a microsecond.
#pragma once

#include <atomic>

namespace toroid {

/// Nobody passes before all threads have arrived; then it is ready for the next round. What threads
/// did before they arrived happened before whatever any of them does after it has passed.
class ThreadBarrier {
 public:
  /// `spins`: each of the threads has a core to itself.
  ThreadBarrier(unsigned threads, bool spins) : threads_(threads), spins_(spins) {}
  /// Returns when all threads have called it.
  void arrive_and_wait();

 private:
  unsigned threads_;
  bool spins_;
  // Acquire and release by all who arrive; the last one's release of round_ pairs with the others'
  // acquire.
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

}  // namespace toroid
