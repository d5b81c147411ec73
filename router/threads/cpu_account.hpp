// The processor time of the threads that work together, and of no others of the process.
#pragma once

#include <atomic>

namespace toroid {

/// CPU seconds that the calling thread has taken since it began (CLOCK_THREAD_CPUTIME_ID).
double thread_cpu_seconds();

/// CPU seconds, summed over the threads that count themselves by a CpuShare. What else runs in the
/// process (a library's threads, other runs) is not in it, as it is in std::clock().
class CpuAccount {
 public:
  /// What all shares that have ended have taken.
  double seconds() const { return seconds_.load(std::memory_order_relaxed); }

 private:
  friend class CpuShare;
  std::atomic<double> seconds_{0};  ///< relaxed: whoever reads has joined the threads that wrote
};

/// While it lives, what the calling thread takes is counted. Made and destroyed by one thread.
class CpuShare {
 public:
  /// Null: nothing is counted. The account outlives it.
  explicit CpuShare(CpuAccount* account)
      : account_(account), begun_(account == nullptr ? 0 : thread_cpu_seconds()) {}
  ~CpuShare() {
    if (account_ != nullptr)
      account_->seconds_.fetch_add(thread_cpu_seconds() - begun_, std::memory_order_relaxed);
  }
  CpuShare(const CpuShare&) = delete;
  CpuShare& operator=(const CpuShare&) = delete;

 private:
  CpuAccount* account_;
  double begun_;
};

}  // namespace toroid
