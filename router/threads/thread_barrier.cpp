#include "router/threads/thread_barrier.hpp"

#include <atomic>

#include "router/threads/idle.hpp"

namespace toroid {

void ThreadBarrier::arrive_and_wait() {
  const unsigned round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  for (Idle idle(spins_); round_.load(std::memory_order_acquire) == round;) idle.wait();
}

}  // namespace toroid
