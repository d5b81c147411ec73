// The processes that a run is spread over: one, but on `ofi`. In builds with -DTOROID_OFI=OFF
// no_ofi.cpp takes the place of processes.cpp: a run is this process alone.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "router/job/blob.hpp"

namespace toroid {

class Job;

class Processes {
 public:
  /// This one alone.
  Processes() = default;
  /// Those that the launcher has started; returns when all are there. Throws BadInput where they
  /// were started with different arguments or in a build without `ofi`, RunFailed where one is
  /// missing.
  static Processes join();

  unsigned count() const;
  /// Whether this one prints and writes the result.
  bool reports() const;
  /// REQUIRES: joined.
  Job& job() const { return *job_; }

  /// On the one that reports, everybody's bytes by rank. All call it in the same order.
  std::vector<Blob> gather(Blob mine) const;
  /// Everybody's numbers by rank. All call it in the same order.
  std::vector<double> numbers(double mine) const;

  /// Calls `work`; what it throws ends the other processes too. Returns when all have done theirs.
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
  /// Returns when all have called it.
  void meet() const;
  void fail(const std::string& why) const noexcept;

  std::shared_ptr<Job> job_;
};

}  // namespace toroid
