// How the run of a process's worker threads ends: their reports in shared memory, and the verdict.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "router/termination/detector.hpp"

namespace toroid::termination {

/// A worker's MemberReport in shared memory: written by the worker only, read by any thread. It
/// fills a cache line.
struct alignas(64) WorkerReport {
  std::atomic<bool> passive{false};
  std::atomic<std::uint64_t> injected{0};
  std::atomic<std::uint64_t> delivered{0};
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<std::uint64_t> moved{0};     ///< rounds in which a packet has moved, or a program has
                                           ///< gone on
  std::atomic<std::uint64_t> received{0};  ///< packets received up to some rounds ago; used for
                                           ///< progress only

  MemberReport load() const;
};

/// The end of a run, shared by the workers of a process and the thread that watches them. The first
/// verdict counts. Any thread may call it, unless noted otherwise.
class RunControl {
 public:
  /// `stall`: time without motion after which the run has stalled. `decides` is true if the run
  /// ends when these workers are quiescent, and false if the run also has members in other
  /// processes.
  RunControl(std::size_t workers, Clock::duration stall, bool decides = true)
      : reports_(workers), stall_(stall), decides_(decides) {}

  /// The report that a worker writes.
  WorkerReport& report(std::size_t worker) { return reports_[worker]; }
  const std::vector<WorkerReport>& reports() const { return reports_; }
  /// Packets that the workers' nodes have received; the number lags some rounds behind.
  std::uint64_t received() const;

  /// A detector of these workers for the calling thread.
  TerminationDetector detector() const { return {reports_.size(), stall_, Clock::now()}; }
  /// Passes all workers' present reports to a detector, in answer to the wave that it wants.
  void report_to(TerminationDetector& detector) const;
  /// Whether every worker is passive and no packet is in flight. If so, this remains true. Always
  /// false if the run has members in other processes.
  bool is_quiescent(TerminationDetector& detector) const;
  bool is_stalled(TerminationDetector& detector, Clock::time_point now) const;
  /// Whether every worker is passive at present.
  bool all_passive() const;

  // Relaxed: joining the threads orders all later reads.
  bool ended() const { return verdict_.load(std::memory_order_relaxed) != Verdict::none; }
  // Acquire: partner of the release in end().
  Verdict verdict() const { return verdict_.load(std::memory_order_acquire); }
  void end(Verdict verdict) { end(verdict, nullptr); }
  /// Ends the run with an exception of a worker or the watching thread, or gives the exception of a
  /// failure that stop_others() has begun.
  void fail(std::exception_ptr failure) { end(Verdict::failed, std::move(failure)); }
  /// The exception that ended the run here; null if it has not failed, or failed in another
  /// process.
  std::exception_ptr failure() const;

  /// Returns when the run has ended or `time` has passed.
  void wait_for(std::chrono::milliseconds time);

  /// A worker calls these when it begins to run its nodes, before it looks at ended(), and when it
  /// has stopped.
  void enter();
  void leave();
  /// Ends the run with a failure whose exception the calling worker hands to fail() later. Returns
  /// when no other worker runs its nodes, or when the others wait here too.
  void stop_others();

 private:
  void end(Verdict verdict, std::exception_ptr failure);

  std::vector<WorkerReport> reports_;
  Clock::duration stall_;
  bool decides_;
  std::atomic<Verdict> verdict_{Verdict::none};
  mutable std::mutex mutex_;  ///< guards failure_ and changed_
  std::condition_variable changed_;
  std::exception_ptr failure_;
  std::atomic<std::size_t> running_{0};  ///< workers between enter() and leave()
  std::atomic<std::size_t> waiting_{0};  ///< workers that are or were in stop_others()
};

/// The workers of a process as one member of a job. Owned by the process's fabric and called only
/// by the job's thread.
class ProcessMember {
 public:
  /// `control` outlives it.
  explicit ProcessMember(const RunControl& control)
      : control_(control), began_(control.reports().size()) {}

  /// The member is passive if all workers are; counts are sums. The rounds of a process are counted
  /// in epochs. An epoch ends when every worker has completed a round since the epoch began.
  MemberReport report();

 private:
  std::uint64_t count_epochs(std::vector<std::uint64_t> rounds);

  const RunControl& control_;
  std::vector<std::uint64_t> began_;  ///< [worker]: its rounds when the epoch began
  std::uint64_t epochs_ = 0;
};

}  // namespace toroid::termination
