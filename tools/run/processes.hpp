// The processes of a run. A run on `sim` or `shm` has only this process. Builds with
// -DTOROID_OFI=OFF use no_ofi.cpp instead of processes.cpp.
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
  /// Joins the other processes that the launcher has started, and returns when all have called it.
  /// Throws BadInput if they were started with different arguments or the build lacks `ofi`,
  /// RunFailed if one is missing.
  static Processes join();

  unsigned count() const;
  /// Whether this process prints and writes the result.
  bool reports() const;
  /// REQUIRES: joined.
  Job& job() const { return *job_; }

  /// On the process that reports: the bytes of all processes, by rank. On the others the result is
  /// empty. A lost process contributes no bytes.
  std::vector<Blob> gather(Blob mine) const;
  /// The numbers of all processes that are not lost, by rank.
  std::vector<double> numbers(double mine) const;

  /// Calls `work` and returns its result when all processes have finished their work. An exception
  /// from `work` ends the other processes too.
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
