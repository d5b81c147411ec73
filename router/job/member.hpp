// The protocol of a job, as far as process 0 (hub_process.cpp) and all other processes
// (leaf_process.cpp) have it in common.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/network.hpp"
#include "router/job/process_info.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {

/// A process's end of the star that a job's connections form: a state machine. It reaches the world
/// only through its Network, and no function waits, except that dial() may resolve a name.
///
/// **Turns:** after begin(), the owner repeats: write(); until has_left(), wait for the network, at
/// most for wait_time(); dial(); read(); if is_report_due(), begin_report() and report(); check();
/// take_abandonment(). In between it passes on the program's calls.
/// **Locking:** the owner calls one function at a time. Only dial() may run at the same time as the
/// program's calls. MemberThread is the owner in a real process.
class Member {
 public:
  virtual ~Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // A turn.
  /// Sends what is queued.
  void write();
  /// How long the owner may wait for the network.
  std::chrono::milliseconds wait_time() const;
  /// Goes on to connect with process 0.
  virtual void dial() {}
  /// Handles all messages that have arrived.
  void read();
  /// Whether the run's monitor is to be asked.
  bool is_report_due() const;
  /// The losses that the monitor must be told before it is asked for the report.
  std::vector<unsigned> begin_report();
  /// Handles this process's own report of the watched run: process 0 evaluates it, another process
  /// sends it to process 0.
  virtual void report(const termination::MemberReport& report) = 0;
  /// Acts on the time that has passed.
  void check();
  /// Returns once, if the program is still in the failed job after its patience, why the job has
  /// failed.
  std::optional<std::string> take_abandonment();
  /// Whether the program has left and the turns may end: all connections are closed, or nothing
  /// has moved for too long.
  bool has_left() const;
  /// Whether something has happened since the last call that the program may wait for.
  bool take_change() { return std::exchange(changed_, false); }

  // The program's calls.
  /// Begins to join the job. Throws RunFailed.
  virtual void begin() = 0;
  bool has_joined() { return joined_ || is_deserted_by(0); }

  /// Begins Job::gather() or Job::all_gather(), depending on `kind`.
  virtual void begin_gather(BlobKind kind, Blob mine) = 0;
  virtual bool is_gathered() = 0;
  /// Whether the result is here and counts even if the job has failed since: other processes may
  /// have ended because of it, and this process then does so with the same words.
  virtual bool has_result() const { return false; }
  /// Returns the result. REQUIRES: is_gathered(), and the job has not failed unless has_result().
  virtual std::vector<Blob> take_gathered() = 0;
  /// On process 0, ends an all_gather: sends `all`, the bytes of all processes, to the others.
  virtual void distribute(const std::vector<std::size_t>&, const std::shared_ptr<const Blob>&) {}

  void begin_watch(std::chrono::milliseconds stall, OnLoss on_loss);
  void end_watch() { watches_ = false; }
  termination::Verdict verdict() const {
    return failure_.empty() ? verdict_ : termination::Verdict::failed;
  }
  const std::vector<Loss>& losses() const { return losses_; }

  /// Fails the job: all processes report this process's name and `why`.
  void fail(const std::string& why);
  /// Fails the job with `why` alone.
  void set_failure(std::string why, bool own = false);
  const std::string& failure() const { return failure_; }
  /// Says goodbye. REQUIRES: no other call of the program follows.
  void leave();
  bool is_leaving() const { return leaving_; }

  const Bootstrap& bootstrap() const { return bootstrap_; }
  const ProcessInfo& process(unsigned rank) const { return roster_[rank]; }
  std::string name(unsigned rank) const { return roster_.name(rank); }
  void set_place(unsigned rank, std::string place) { roster_.set_place(rank, std::move(place)); }
  std::uint64_t session() const { return session_; }
  std::chrono::nanoseconds clock_offset() const { return clock_offset_; }
  std::uint64_t refused() const { return refused_others() + malformed_; }

  // The launcher's notices.
  /// Process `rank` has died.
  void hear(unsigned rank, const std::string& why);
  /// The launcher itself has ended, so nobody waits for the result of this job.
  void hear_end_of_launcher(const std::string& why);

  static constexpr std::chrono::milliseconds kPollPeriod{50};
  static constexpr std::chrono::milliseconds kAskPeriod{5};  ///< between two reports of the monitor

 protected:
  /// `network` must outlive this object. `self`: the introduction of this process.
  Member(Bootstrap bootstrap, JobOptions options, ProcessInfo self, Network& network);

  /// The state of another process. Process 0 is connected with all processes, the others only with
  /// process 0.
  struct Peer {
    std::unique_ptr<Connection> connection{};
    bool left = false;  ///< has said goodbye
    Clock::time_point heard{};
  };

  /// Handles a message, with its blobs, that is not a heartbeat, a failure or a goodbye. Process 0
  /// and the other processes receive different kinds of such messages.
  virtual void handle(unsigned rank, const Message& message, std::vector<Blob> blobs) = 0;
  /// Called if a peer has died or is silent. The job fails, unless the run goes on without the
  /// peer.
  virtual void miss(unsigned, const std::string& why) { set_failure(why); }
  /// Serves connections that are not peers yet.
  virtual void serve_others() = 0;
  virtual std::uint64_t refused_others() const { return 0; }
  /// Whether a connection that is not a peer's yet must still be told that this process leaves.
  virtual bool is_dialling() const { return false; }
  /// Does periodic work.
  virtual void tick() = 0;
  /// Number of the wave of reports that process 0 expects from this process; 0 if none.
  virtual std::uint32_t wanted_wave() const = 0;
  virtual void prepare_watch() = 0;
  virtual Message sign_of_life() const { return {{"is", "heartbeat"}}; }

  void add_peer(unsigned rank, std::unique_ptr<Connection> connection);
  void send_to_all(const Message& message);
  /// Records a loss; the monitor will be told.
  void note_loss(Loss loss);
  bool goes_on_without() const { return is_watching() && on_loss_ == OnLoss::go_on; }
  bool is_watching() const { return watches_ && verdict_ == termination::Verdict::none; }
  /// Ends the watch with a verdict. The first verdict counts.
  void decide(termination::Verdict verdict);
  /// Whether process `rank` has left; if so, fails the job.
  bool is_deserted_by(unsigned rank);

  const Bootstrap bootstrap_;
  const JobOptions options_;
  Network& network_;
  bool changed_ = false;
  std::string failure_;
  Roster roster_;
  std::vector<Peer> peers_;  ///< [rank]
  std::uint64_t session_ = 0;
  std::chrono::nanoseconds clock_offset_{0};
  AwakeClock clock_;            ///< stepped by read()
  std::uint64_t sequence_ = 0;  ///< number of the latest collective
  bool joined_ = false;
  bool leaving_ = false;

  std::uint32_t watch_ = 0;             ///< number of the watched run, from 1
  std::chrono::milliseconds stall_{0};  ///< stall limit of the watched run
  std::vector<Loss> losses_;

 private:
  void serve_peer(unsigned rank);
  void handle_any(unsigned rank, const Message& message, std::vector<Blob> blobs);
  void part(unsigned rank, End how);
  void send_failure(Connection& connection) const;
  void check_peers();
  void check_notices();
  void believe(unsigned rank, const std::string& why);
  bool is_heartbeat_due();

  bool watches_ = false;
  OnLoss on_loss_ = OnLoss::fail;  ///< for the watched run
  termination::Verdict verdict_ = termination::Verdict::none;
  std::size_t told_losses_ = 0;  ///< number of losses of which the monitor has been told
  Clock::time_point asked_at_{};
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
};

/// Makes the member for process 0, which admits the other processes, distributes their data, and
/// decides how a run ends.
std::unique_ptr<Member> make_hub(Bootstrap bootstrap, const JobOptions& options, ProcessInfo self,
                                 Network& network);
/// Makes the member for any other process.
std::unique_ptr<Member> make_leaf(Bootstrap bootstrap, const JobOptions& options, ProcessInfo self,
                                  Network& network);
/// Makes the member for the process that `bootstrap` describes.
std::unique_ptr<Member> make_member(Bootstrap bootstrap, const JobOptions& options,
                                    ProcessInfo self, Network& network);

}  // namespace toroid::job
