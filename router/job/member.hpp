// The code common to process 0 (hub_process.cpp) and all other processes (leaf_process.cpp) of a
// job.
#pragma once

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
#include "router/job/bootstrap.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/event_loop.hpp"
#include "router/job/job.hpp"
#include "router/job/process_info.hpp"
#include "router/job/tls.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

/// A process's end of the star that a job's connections form.
///
/// **Threads:** the program calls the public functions; the job's thread runs from join() to
/// leave() and owns the connections. **Locking:** `mutex_` guards all state unless a comment says
/// otherwise. The job's thread holds it except while it dials, waits in the loop or calls the
/// monitor; the program's calls queue messages, wake the thread and wait for `changed_`. Owned by
/// Job.
class Member {
 public:
  virtual ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// Returns when all processes have joined the job. Throws RunFailed.
  void join();
  /// Leaves the job with a goodbye and ends the thread. REQUIRES: no other call is running or
  /// follows.
  void leave() noexcept;

  const Bootstrap& bootstrap() const { return bootstrap_; }
  const ProcessInfo& process(unsigned rank) const { return roster_[rank]; }
  std::uint64_t session() const { return session_; }
  std::chrono::nanoseconds clock_offset() const { return clock_offset_; }
  std::uint64_t refused();

  std::string name(unsigned rank);
  void set_place(unsigned rank, std::string place);

  /// Job::gather() or Job::all_gather(), depending on `kind`.
  virtual std::vector<Blob> gather(BlobKind kind, Bytes mine) = 0;

  void watch(RunMonitor& monitor, std::chrono::milliseconds stall, OnLoss on_loss);
  termination::Verdict wait(std::chrono::milliseconds time);
  void end_watch();
  std::vector<Loss> losses();

  void fail(const std::string& why) noexcept;
  std::string failure();

 protected:
  using Lock = std::unique_lock<std::mutex>;

  Member(Bootstrap bootstrap, JobOptions options);

  /// The state of another process. Process 0 is connected with all processes, the others only with
  /// process 0.
  struct Peer {
    std::unique_ptr<Connection> connection{};
    bool left = false;  ///< has said goodbye
    Clock::time_point heard{};
  };

  /// Waits until `done()`, which may call set_failure(). Throws RunFailed if the job has failed.
  template <typename Done>
  void wait_until(Lock& lock, Done done) {
    const auto over = [&] { return done() || !failure_.empty(); };
    while (!changed_.wait_for(lock, kPollPeriod, over)) poll_user(lock);
    if (!failure_.empty()) throw RunFailed(failure_);
  }
  /// Calls options_.poll, without the mutex, if it is due.
  void poll_user(Lock& lock);
  void wake_thread() { loop_.wake(); }
  bool is_leaving();
  /// Whether this process must stop joining: it leaves the job, or the job has failed.
  bool stops_joining();

  /// Prepares joining. Called by the program before the thread starts. Throws RunFailed.
  virtual void prepare() {}
  /// Connects with the job. The thread calls it first, without the mutex. Throws RunFailed.
  virtual void connect() {}

  // Called by the thread, with the mutex.
  /// Handles a message, with its blobs, that is not a heartbeat, a failure or a goodbye. Process 0
  /// and the other processes receive different kinds of such messages.
  virtual void handle(unsigned rank, const Message& message, std::vector<Blob> blobs) = 0;
  /// Called if a peer has died or is silent. The job fails, unless the run goes on without the
  /// peer.
  virtual void miss(unsigned, const std::string& why) { set_failure(why); }
  /// Serves connections that are not peers yet.
  virtual void serve_others() {}
  virtual std::uint64_t refused_others() const { return 0; }
  /// Does periodic work.
  virtual void tick() {}
  /// Handles this process's own report of the watched run: process 0 evaluates it, another process
  /// sends it to process 0.
  virtual void handle_own_report(const termination::MemberReport& report) = 0;
  /// Number of the wave of reports that process 0 expects from this process; 0 if none.
  virtual std::uint32_t wanted_wave() const = 0;
  virtual void begin_watch() = 0;
  virtual Message sign_of_life() const { return {{"is", "heartbeat"}}; }

  void add_peer(unsigned rank, std::unique_ptr<Connection> connection);
  void send_to_all(const Message& message);
  void set_failure(std::string why, bool own = false);
  /// Records a loss; the monitor will be told.
  void note_loss(Loss loss);
  bool goes_on_without() const { return is_watching() && on_loss_ == OnLoss::go_on; }
  bool is_watching() const { return monitor_ != nullptr && verdict_ == termination::Verdict::none; }
  /// Ends the watch with a verdict. The first verdict counts.
  void decide(termination::Verdict verdict);
  /// Whether process `rank` has left; if so, fails the job.
  bool is_deserted_by(unsigned rank);

  static constexpr std::chrono::milliseconds kPollPeriod{50};
  const Bootstrap bootstrap_;
  const JobOptions options_;
  const Tls tls_;
  Loop loop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string failure_;
  Roster roster_;
  std::vector<Peer> peers_;  ///< [rank]
  std::uint64_t session_ = 0;
  std::chrono::nanoseconds clock_offset_{0};
  AwakeClock clock_;            ///< stepped by the thread
  std::uint64_t sequence_ = 0;  ///< number of the latest collective
  bool joined_ = false;
  bool leaving_ = false;

  std::uint32_t watch_ = 0;             ///< number of the watched run, from 1
  std::chrono::milliseconds stall_{0};  ///< stall limit of the watched run
  OnLoss on_loss_ = OnLoss::fail;       ///< for the watched run
  std::vector<Loss> losses_;
  termination::Verdict verdict_ = termination::Verdict::none;

 private:
  void run() noexcept;
  bool turn();
  void serve_peer(unsigned rank);
  void handle_any(unsigned rank, const Message& message, std::vector<Blob> blobs);
  void part(unsigned rank, End how);
  void write_all();
  void send_failure(Connection& connection) const;
  void check_peers();
  void hear(unsigned rank, const std::string& why);
  void check_notices();
  void check_launcher();
  void believe(unsigned rank, const std::string& why);
  bool is_heartbeat_due();
  void ask_monitor();
  bool is_monitor_due() const;
  void abandon_if_due();
  bool is_abandonment_due() const;
  std::chrono::milliseconds wait_time() const;
  bool has_left() const;
  termination::Verdict current_verdict() const {
    return failure_.empty() ? verdict_ : termination::Verdict::failed;
  }

  /// Held while the monitor reports or the job is abandoned. Locked before mutex_.
  std::mutex asking_;
  RunMonitor* monitor_ = nullptr;
  std::size_t told_losses_ = 0;  ///< number of losses of which the monitor has been told
  Clock::time_point asked_at_{};
  Clock::time_point looked_at_{};  ///< when the launcher was last seen to exist
  Clock::time_point polled_user_at_{};
  Clock::time_point beat_at_{};
  Clock::time_point failed_at_{};  ///< by clock_
  bool abandoned_ = false;
  /// A launcher's notice of a dead process, and its time by clock_.
  struct Notice {
    unsigned rank = 0;
    std::string why;
    Clock::time_point at{};
  };
  std::vector<Notice> notices_;
  Clock::time_point moved_at_{};  ///< when bytes were last seen to be written or read
  std::uint64_t moved_ = 0;       ///< bytes moved up to moved_at_
  std::uint64_t malformed_ = 0;
  std::jthread thread_;
};

/// Makes the member for process 0, which admits the other processes, distributes their data, and
/// decides how a run ends.
std::unique_ptr<Member> make_hub(Bootstrap bootstrap, const JobOptions& options);
/// Makes the member for any other process.
std::unique_ptr<Member> make_leaf(Bootstrap bootstrap, const JobOptions& options);

}  // namespace toroid::job
