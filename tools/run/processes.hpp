// The processes of a run. A run on `sim` or `shm` has only this process. Builds with
// -DTOROID_OFI=OFF use no_ofi.cpp instead of processes.cpp.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"

namespace toroid {

class Job;

/// A refusal that all processes of a run throw, with the same text.
class SharedRefusal : public BadInput {
 public:
  using Print = std::function<void()>;

  SharedRefusal(const std::string& why, std::function<void(const Print&)> tell)
      : BadInput(why), tell_(std::move(tell)) {}
  /// Calls `print` on process 0. The other processes wait until it has printed, and call `print` if
  /// they lose process 0 before. All processes call this.
  void tell_once(const Print& print) const { tell_(print); }

 private:
  std::function<void(const Print&)> tell_;
};

/// The processes of a run. All of them make the same collective calls (join, job, gather,
/// from_reporter, numbers, run) in the same order, on the main thread.
///
/// **Agreement:** the processes compare all that they have read (tools/files/run_inputs.hpp) before
/// they exchange anything else: when they join, before the first other collective call, and at the
/// end of run(). Until the first comparison inside run(), a BadInput on one process is a refusal on
/// all. Then each throws SharedRefusal.
class Processes {
 public:
  /// This process alone.
  Processes() = default;
  /// Joins the other processes that the launcher has started, and returns when all have called it.
  /// Throws BadInput if they differ in build, options or inputs, or if the build lacks `ofi`;
  /// RunFailed if one is missing.
  static Processes join();
  /// The same, but refuses on all processes.
  static void join_to_refuse(const std::string& why);

  unsigned count() const;
  /// Whether this process prints and writes the result.
  bool reports() const;
  /// REQUIRES: joined.
  Job& job() const;
  /// The provider of the run's first fabric on `ofi`, which all later ones use too, so that no
  /// table or median mixes two; empty before. REQUIRES: joined.
  std::string& provider() const;

  /// On the process that reports: the bytes of all processes, by rank. On the others the result is
  /// empty. A lost process contributes no bytes.
  std::vector<Blob> gather(Blob mine) const;
  /// On all processes: the bytes of the process that reports. Those of the others are not sent.
  Blob from_reporter(Blob mine) const;
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
    } catch (const SharedRefusal&) {
      throw;
    } catch (const BadInput& refusal) {
      refuse(refusal.what());
      throw;
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
  }

 private:
  struct Membership;

  /// Joins and calls `compare`, which compares what was read before.
  static Processes join(const std::function<void(Job&)>& compare);
  /// Compares the inputs, if that has not been done.
  void agree() const;
  /// Returns when all processes have called it and have the same inputs.
  void meet() const;
  /// Refuses on all processes or, once they have agreed, fails.
  void refuse(const std::string& why) const;
  void fail(const std::string& why) const noexcept;

  std::shared_ptr<Membership> membership_;
};

/// Runs a command that may join other processes. If it refuses an input before it has joined them,
/// joins them to refuse on all, so that they do not wait for this process. REQUIRES: RunInputs are
/// collected.
int run_with_others(const std::function<int()>& command);

}  // namespace toroid
