// One end of the star, process 0's or another's: what the caller of Job and the job's thread share.
//
// The thread owns the connections. All state is the mutex's, except as said; the thread holds it
// but in poll() and while it asks the monitor. Callers queue frames, wake the thread and wait for
// `changed_`.
#pragma once

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hal/check.hpp"
#include "router/job/awake_clock.hpp"
#include "router/job/blob.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/membership.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/wake.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

class Party {
 public:
  virtual ~Party() = default;
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  /// Returns when all have joined. Throws RunFailed.
  virtual void join() = 0;
  /// Says goodbye and ends the thread. REQUIRES: no other call is under way or follows.
  void leave() noexcept;

  const Membership& membership() const { return membership_; }
  const ProcessInfo& process(unsigned rank) const { return roster_[rank]; }
  std::uint64_t session() const { return session_; }
  std::chrono::nanoseconds clock_offset() const { return clock_offset_; }
  virtual std::uint64_t refused() = 0;

  std::string name(unsigned rank);
  void set_place(unsigned rank, std::string place);

  /// On process 0 everybody's bytes; elsewhere those are only sent for BlobKind::gather.
  virtual std::vector<Blob> collect(BlobKind kind, Bytes mine) = 0;

  void watch(RunMonitor& monitor, std::chrono::milliseconds stall);
  Verdict wait(std::chrono::milliseconds time);
  void end_watch();

  void fail(const std::string& why) noexcept;
  std::string failure();

 protected:
  using Lock = std::unique_lock<std::mutex>;

  Party(Membership membership, JobOptions options);

  void start();
  /// Until `done`, which may find that the job has failed. Throws RunFailed if it has.
  template <typename Done>
  void wait_until(Lock& lock, Done done) {
    const auto over = [&] { return done() || !failure_.empty(); };
    while (!changed_.wait_for(lock, kPollPeriod, over)) poll_user(lock);
    if (!failure_.empty()) throw RunFailed(failure_);
  }
  /// Calls options_.poll, without the mutex, where it is due.
  void poll_user(Lock& lock);
  void wake_thread() { wake_.ring(); }

  // By the thread, with the mutex.
  virtual void add_to(std::vector<pollfd>& polled) = 0;
  virtual void serve(const std::vector<pollfd>& polled) = 0;
  virtual void tick() = 0;
  virtual void take_report(const RunReport& report) = 0;
  /// A wave of process 0 that waits for this process's report; 0: none.
  virtual std::uint32_t wanted_wave() const = 0;
  virtual void begin_watch() {}
  /// Tells others of a failure: of all of them that it has learned of, or only of its own.
  virtual void spread_failure(bool own) = 0;
  virtual void say_goodbye() = 0;
  /// Whether anything is still to be written, or a connection to be closed by the other end.
  virtual bool has_unwritten() = 0;
  virtual bool is_connected() = 0;

  void set_failure(std::string why, bool own = false);
  /// Whether a heartbeat is due; then the next one is later.
  bool beat();
  bool is_watching() const { return monitor_ != nullptr && verdict_ == Verdict::none; }
  void decide(Verdict verdict);
  enum class Served { nothing, heard, malformed, end };
  /// Reads and writes what the poll has found.
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
  std::uint64_t sequence_ = 0;  ///< of the last collective
  bool leaving_ = false;

  // Of the run that is watched.
  std::uint32_t watch_ = 0;  ///< its number
  std::chrono::milliseconds stall_{0};
  Verdict verdict_ = Verdict::none;

 private:
  void run() noexcept;
  bool turn(std::vector<pollfd>& polled);
  void ask_monitor();
  bool is_to_ask() const;
  void abandon_if_due();
  bool is_to_abandon() const;
  int poll_time() const;
  bool has_left();
  Verdict current_verdict() const { return failure_.empty() ? verdict_ : Verdict::failed; }

  std::mutex asking_;  ///< held while the monitor reports or the job is abandoned; before mutex_
  RunMonitor* monitor_ = nullptr;
  Clock::time_point asked_at_{};
  Clock::time_point polled_user_at_{};
  Clock::time_point beat_at_{};
  Clock::time_point failed_at_{};  ///< by the thread's clock
  bool abandoned_ = false;
  Clock::time_point progress_at_{};  ///< of the last bytes written or read while leaving
  WakeUp wake_;
  std::jthread thread_;
};

/// Says goodbye before the party's parts are gone.
struct Leave {
  void operator()(Party* party) const noexcept {
    party->leave();
    delete party;
  }
};
using PartyPtr = std::unique_ptr<Party, Leave>;

PartyPtr make_hub(Membership membership, const JobOptions& options);
PartyPtr make_leaf(Membership membership, const JobOptions& options);

}  // namespace toroid::job
