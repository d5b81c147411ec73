// The CPU time of a set of threads that work together.
#pragma once

#include <atomic>

namespace toroid {

/// CPU seconds that the calling thread has used since it began (CLOCK_THREAD_CPUTIME_ID).
double thread_cpu_seconds();

/// A sum of CPU seconds over the threads that register with a CpuShare. Unlike std::clock(), it
/// excludes other threads of the process (a library's threads, other runs).
class CpuAccount {
 public:
  /// The CPU time of all shares that have ended.
  double seconds() const { return seconds_.load(std::memory_order_relaxed); }

 private:
  friend class CpuShare;
  std::atomic<double> seconds_{0};  ///< relaxed, because a reader first joins the writing threads
};

/// Adds the CPU time that the calling thread uses during this object's lifetime to an account. The
/// same thread creates and destroys the object.
class CpuShare {
 public:
  /// If `account` is null, nothing is counted. The account outlives this object.
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
