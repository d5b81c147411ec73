// The processes that a run is spread over: one, but on `ofi`.
#pragma once

#include <memory>

#include "router/job/job.hpp"

namespace toroid {

class Processes {
 public:
  /// This one alone.
  Processes() = default;
  /// Those that the launcher has started; returns when all are there. Throws BadInput where they
  /// were started with different arguments, RunFailed where one is missing.
  static Processes join();
  /// Throws BadInput where a launcher has started several, each of which would do all of the work.
  static void refuse_several();

  unsigned count() const { return job_ == nullptr ? 1 : job_->size(); }
  /// Whether this one prints and writes the result.
  bool reports() const { return job_ == nullptr || job_->rank() == 0; }
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
      if (job_ != nullptr) job_->all_gather({});
      return code;
    } catch (const std::exception& error) {
      if (job_ != nullptr) job_->fail(error.what());
      throw;
    }
  }

 private:
  std::shared_ptr<Job> job_;
};

}  // namespace toroid
