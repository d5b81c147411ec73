// The CPU time of a set of threads that work together.
#pragma once

#include <atomic>

namespace toroid {

/// CPU seconds that the calling thread has used since it began (CLOCK_THREAD_CPUTIME_ID).
double thread_cpu_seconds();

/// CPU seconds, summed over the threads that register with a CpuShare. Unlike std::clock(), it
/// excludes other threads of the process (a library's threads, other runs).
class CpuAccount {
 public:
  /// The CPU time of all shares that have ended.
  double seconds() const { return seconds_.load(std::memory_order_relaxed); }

 private:
  friend class CpuShare;
  std::atomic<double> seconds_{0};  ///< relaxed: a reader has joined the writing threads
};

/// Counts the calling thread's CPU time during its own lifetime. Created and destroyed by one
/// thread.
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
