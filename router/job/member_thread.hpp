// The thread of a job in a real process, and the lock between it and the program.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/clocks.hpp"
#include "router/job/job.hpp"
#include "router/job/member.hpp"
#include "router/job/socket_network.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

/// Runs a Member.
///
/// **Threads:** the program calls the public functions; the job's thread runs from join() to
/// leave() and takes the member's turns. **Locking:** `mutex_` guards the member. The thread holds
/// it except while it dials, waits for the network or calls the monitor; the program's calls wake
/// the thread and wait for `changed_`. Owned by Job.
class MemberThread {
 public:
  MemberThread(Bootstrap bootstrap, JobOptions options);

  /// Returns when all processes have joined the job. Throws RunFailed.
  void join();
  /// Leaves the job with a goodbye and ends the thread. REQUIRES: no other call is running or
  /// follows.
  void leave() noexcept;

  // What is fixed once the processes have joined.
  const Bootstrap& bootstrap() const { return member_->bootstrap(); }
  const ProcessInfo& process(unsigned rank) const { return member_->process(rank); }
  std::uint64_t session() const { return member_->session(); }
  std::chrono::nanoseconds clock_offset() const { return member_->clock_offset(); }

  std::uint64_t refused();
  std::string name(unsigned rank);
  void set_place(unsigned rank, std::string place);

  /// Job::gather() or Job::all_gather(), depending on `kind`.
  std::vector<Blob> gather(BlobKind kind, Bytes mine);

  void watch(RunMonitor& monitor, std::chrono::milliseconds stall, OnLoss on_loss);
  termination::Verdict wait(std::chrono::milliseconds time);
  void end_watch();
  std::vector<Loss> losses();

  void fail(const std::string& why) noexcept;
  std::string failure();

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Waits until `done()`, which may fail the job. Throws RunFailed if the job has failed, unless
  /// the result of a collective has come before.
  template <typename Done>
  void wait_until(Lock& lock, Done done) {
    const auto over = [&] { return done() || !member_->failure().empty(); };
    while (!changed_.wait_for(lock, Member::kPollPeriod, over)) poll_user(lock);
    network_.wake();  // done() may have queued messages
    if (!member_->failure().empty() && !member_->has_result()) throw RunFailed(member_->failure());
  }
  void poll_user(Lock& lock);
  void distribute(const std::vector<Blob>& parts);

  void run() noexcept;
  bool turn();
  void tell_program();
  void ask_monitor();
  void look_at_launcher();
  void abandon_if_due();
  bool is_leaving();

  const JobOptions options_;
  SocketNetwork network_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Member> member_;
  /// Held while the monitor reports or the job is abandoned. Locked before mutex_.
  std::mutex asking_;
  RunMonitor* monitor_ = nullptr;  ///< guarded by asking_
  Clock::time_point polled_user_at_{};
  Clock::time_point looked_at_{};  ///< when the launcher was last seen to exist
  std::jthread thread_;
};

}  // namespace toroid::job
