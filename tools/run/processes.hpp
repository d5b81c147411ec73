// The processes of a run; `sim` and `shm` use only this one. Builds with -DTOROID_OFI=OFF use
// no_ofi.cpp instead of processes.cpp.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "router/job/blob.hpp"

namespace toroid {

class Job;

/// The processes of a run. All of them make the same collective calls (join, gather, numbers, run)
/// in the same order, on the main thread.
class Processes {
 public:
  /// This process alone.
  Processes() = default;
  /// The processes that the launcher has started; returns when all have called it. Throws BadInput
  /// if they were started with different arguments or the build lacks `ofi`, RunFailed if one is
  /// missing.
  static Processes join();

  unsigned count() const;
  /// Whether this process prints and writes the result.
  bool reports() const;
  /// REQUIRES: joined.
  Job& job() const { return *job_; }

  /// The bytes of all processes by rank, on the process that reports; empty on the others. A lost
  /// process contributes no bytes.
  std::vector<Blob> gather(Blob mine) const;
  /// The numbers of all processes that are not lost, by rank.
  std::vector<double> numbers(double mine) const;

  /// Returns the result of `work` when all processes have done theirs. An exception from `work`
  /// ends the other processes too.
  template <typename Work>
  int run(const Work& work) const {
    try {
      const int code = work();
      meet();
      return code;
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
  }

 private:
  /// Returns when all processes have called it.
  void meet() const;
  void fail(const std::string& why) const noexcept;

  std::shared_ptr<Job> job_;
};

}  // namespace toroid
