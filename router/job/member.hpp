// What process 0 (hub.cpp) and all other processes (leaf.cpp) have in common as members of a job.
#pragma once

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

/// A process's end of the star that a job's connections form.
///
/// **Threads:** the program calls the public functions; the job's thread runs from start() to
/// leave() and owns the connections. **Locking:** `mutex_` guards all state that has no comment of
/// its own. The thread holds it except in poll() and while it asks the monitor; the program's calls
/// queue frames, wake the thread and wait for `changed_`. Owned by Job.
class Member {
 public:
  virtual ~Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// Returns when all processes have joined the job. Throws RunFailed.
  virtual void join() = 0;
  /// Leaves the job in order and ends the thread. REQUIRES: no other call is under way or follows.
  void leave() noexcept;

  const Membership& membership() const { return membership_; }
  const ProcessInfo& process(unsigned rank) const { return roster_[rank]; }
  std::uint64_t session() const { return session_; }
  std::chrono::nanoseconds clock_offset() const { return clock_offset_; }
  virtual std::uint64_t refused() = 0;

  std::string name(unsigned rank);
  void set_place(unsigned rank, std::string place);

  /// Job::gather() or Job::all_gather(), by `kind`.
  virtual std::vector<Blob> gather(BlobKind kind, Bytes mine) = 0;

  void watch(RunMonitor& monitor, std::chrono::milliseconds stall, OnLoss on_loss);
  termination::Verdict wait(std::chrono::milliseconds time);
  void end_watch();
  std::vector<Loss> losses();

  void fail(const std::string& why) noexcept;
  std::string failure();

 protected:
  using Lock = std::unique_lock<std::mutex>;

  Member(Membership membership, JobOptions options);

  void start();
  /// Waits until `done()`, which may call set_failure(). Throws RunFailed if the job has failed.
  template <typename Done>
  void wait_until(Lock& lock, Done done) {
    const auto over = [&] { return done() || !failure_.empty(); };
    while (!changed_.wait_for(lock, kPollPeriod, over)) poll_user(lock);
    if (!failure_.empty()) throw RunFailed(failure_);
  }
  /// Calls options_.poll, without the mutex, if it is due.
  void poll_user(Lock& lock);
  void wake_thread() { wake_.ring(); }

  // Called by the thread, with the mutex.
  /// Adds what poll() is to wait for.
  virtual void add_to(std::vector<pollfd>& polled) = 0;
  /// Reads and writes what poll() has found.
  virtual void serve(const std::vector<pollfd>& polled) = 0;
  /// Does what is due by the clock.
  virtual void tick() = 0;
  /// Passes on this process's own report of the run that is watched.
  virtual void handle_own_report(const termination::MemberReport& report) = 0;
  /// Number of the wave of reports for which process 0 waits for this process; 0: none.
  virtual std::uint32_t wanted_wave() const = 0;
  virtual void begin_watch() {}
  /// Tells other processes of the failure. `own`: it is this process's; a leaf passes on no other.
  virtual void spread_failure(bool own) = 0;
  virtual void send_goodbye() = 0;
  virtual bool has_unwritten() = 0;
  virtual bool is_connected() = 0;

  void set_failure(std::string why, bool own = false);
  /// Whether a heartbeat is due; if so, the next one is due a period later.
  bool is_heartbeat_due();
  /// Notes a loss, of which the monitor is told.
  void note_loss(Loss loss);
  bool goes_on_without() const { return is_watching() && on_loss_ == OnLoss::go_on; }
  bool is_watching() const { return monitor_ != nullptr && verdict_ == termination::Verdict::none; }
  /// Ends the watch with a verdict. The first one counts.
  void decide(termination::Verdict verdict);
  enum class Served { nothing, heard, malformed, end };
  Served serve_connection(Connection& connection, const std::vector<pollfd>& polled,
                          const Handlers& handlers);
  std::string unanswered() const;
  static constexpr const char* kDied = " died: connection closed";
  static constexpr const char* kEndedEarly = " has ended before the others";
  static constexpr const char* kMalformed = " sent what no process of this version sends";

  const Membership membership_;
  const JobOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string failure_;
  Roster roster_;
  std::uint64_t session_ = 0;
  std::chrono::nanoseconds clock_offset_{0};
  AwakeClock clock_;            ///< the thread's
  std::uint64_t sequence_ = 0;  ///< number of the last collective
  bool leaving_ = false;

  std::uint32_t watch_ = 0;             ///< number of the run that is watched, from 1
  std::chrono::milliseconds stall_{0};  ///< its limit
  OnLoss on_loss_ = OnLoss::fail;       ///< of the run that is watched
  std::vector<Loss> losses_;
  termination::Verdict verdict_ = termination::Verdict::none;

 private:
  void run() noexcept;
  bool turn(std::vector<pollfd>& polled);
  void ask_monitor();
  bool is_monitor_due() const;
  void abandon_if_due();
  bool is_abandonment_due() const;
  int poll_time() const;
  bool has_left();
  termination::Verdict current_verdict() const {
    return failure_.empty() ? verdict_ : termination::Verdict::failed;
  }

  /// Held while the monitor reports or the job is abandoned. Locked before mutex_.
  std::mutex asking_;
  RunMonitor* monitor_ = nullptr;
  std::size_t told_losses_ = 0;  ///< those of losses_ that the monitor knows
  Clock::time_point asked_at_{};
  Clock::time_point polled_user_at_{};
  Clock::time_point beat_at_{};
  Clock::time_point failed_at_{};  ///< by clock_
  bool abandoned_ = false;
  Clock::time_point progress_at_{};  ///< when the last bytes were written or read while leaving
  WakeUp wake_;
  std::jthread thread_;
};

/// Process 0: it admits the others, passes on what they say, and decides how a run ends.
std::unique_ptr<Member> make_hub(Membership membership, const JobOptions& options);
/// Any other process.
std::unique_ptr<Member> make_leaf(Membership membership, const JobOptions& options);

}  // namespace toroid::job
