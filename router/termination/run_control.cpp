#include "router/termination/run_control.hpp"

#include <algorithm>
#include <thread>

namespace toroid::termination {

MemberReport WorkerReport::load() const {
  MemberReport report;
  // Acquire: the counts read below are no older than those reported with `passive`. Partner: the
  // release in Worker::rest().
  report.passive = passive.load(std::memory_order_acquire);
  report.injected = injected.load(std::memory_order_acquire);
  report.delivered = delivered.load(std::memory_order_acquire);
  // Relaxed: only a change between two samples matters. Partner: Worker::loop().
  report.moved = moved.load(std::memory_order_relaxed);
  report.rounds = rounds.load(std::memory_order_relaxed);
  return report;
}

std::uint64_t RunControl::received() const {
  std::uint64_t sum = 0;
  // Relaxed: used for progress only. Partner: Worker::report_received().
  for (const WorkerReport& report : reports_)
    sum += report.received.load(std::memory_order_relaxed);
  return sum;
}

void RunControl::report_to(TerminationDetector& detector) const {
  const std::uint32_t wave = detector.wanted_wave();
  for (std::size_t w = 0; w < reports_.size(); ++w) detector.report(w, reports_[w].load(), wave);
}

bool RunControl::all_passive() const {
  return std::all_of(reports_.begin(), reports_.end(), [](const WorkerReport& report) {
    // Relaxed: only a hint. Partner: Worker::rest().
    return report.passive.load(std::memory_order_relaxed);
  });
}

/// Reads the reports in full only if all workers are seen to be passive, because reading takes the
/// reports' cache lines from the workers that write them.
bool RunControl::is_quiescent(TerminationDetector& detector) const {
  if (!decides_ || !all_passive()) return false;
  report_to(detector);
  if (detector.is_quiescent()) return true;
  if (detector.wanted_wave() == 0) return false;
  report_to(detector);
  return detector.is_quiescent();
}

bool RunControl::is_stalled(TerminationDetector& detector, Clock::time_point now) const {
  report_to(detector);
  return detector.is_stalled(now);
}

void RunControl::end(Verdict verdict, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (ended()) {
    if (verdict_.load(std::memory_order_relaxed) == Verdict::failed && !failure_)
      failure_ = std::move(failure);
    return;
  }
  failure_ = std::move(failure);
  verdict_.store(verdict, std::memory_order_release);
  changed_.notify_all();
}

std::exception_ptr RunControl::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void RunControl::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return ended(); });
}

/// Acquire: either stop_others() sees that this worker runs, or this worker then sees that the
/// run has ended. Partner: the additions of 0 in stop_others().
void RunControl::enter() {
  running_.fetch_add(1, std::memory_order_acq_rel);
}

/// Release: a thread that sees it also sees that the worker's reads are over. Partner:
/// stop_others().
void RunControl::leave() {
  running_.fetch_sub(1, std::memory_order_release);
}

/// Adding 0 releases the verdict to workers that enter later. Partners: enter(), leave().
void RunControl::stop_others() {
  end(Verdict::failed);
  waiting_.fetch_add(1, std::memory_order_acq_rel);
  while (running_.fetch_add(0, std::memory_order_acq_rel) >
         waiting_.load(std::memory_order_acquire))
    std::this_thread::yield();
}

MemberReport ProcessMember::report() {
  MemberReport sum{.passive = true};
  std::vector<std::uint64_t> rounds;
  for (const WorkerReport& worker : control_.reports()) {
    const MemberReport report = worker.load();
    sum.passive &= report.passive;
    sum.injected += report.injected;
    sum.delivered += report.delivered;
    sum.moved += report.moved;
    rounds.push_back(report.rounds);
  }
  sum.rounds = count_epochs(std::move(rounds));
  return sum;
}

std::uint64_t ProcessMember::count_epochs(std::vector<std::uint64_t> rounds) {
  for (std::size_t w = 0; w < rounds.size(); ++w)
    if (rounds[w] == began_[w]) return epochs_;
  began_ = std::move(rounds);
  return ++epochs_;
}

}  // namespace toroid::termination
