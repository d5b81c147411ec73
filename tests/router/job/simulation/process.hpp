// A simulated process of a job: a real Member, and a program that uses it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/random.hpp"
#include "router/job/blob.hpp"
#include "router/job/member.hpp"
#include "router/job/process_info.hpp"
#include "router/ofi/shared_memory_trial.hpp"
#include "router/termination/detector.hpp"
#include "tests/router/job/simulation/network.hpp"
#include "tests/router/job/simulation/scenario.hpp"

namespace toroid::job_simulation {

/// The parts of a program, in this order: `stating` if the processes do not agree; `running` and
/// `collecting` once for each watched run.
enum class Phase { joining, agreeing, stating, trying, running, collecting, ended };

/// What a process gets to know at the end of a watched run.
struct EndOfRun {
  termination::Verdict verdict;
  std::string losses;  ///< their reasons
};

class Process;
/// The processes of a job: [rank] the one that has joined under this rank, or may still join.
using Fabric = std::vector<Process*>;

/// A process. World decides when it takes a turn, and what happens to it.
///
/// **The program:** joins, compares its input with that of the others, tries whether all can share
/// memory, sends numbers to the others under the job's watch, collects the results, and leaves. If
/// the job has failed it leaves too.
class Process {
 public:
  Process(Net& net, const Scenario& scenario, unsigned number, unsigned rank, std::uint64_t seed);

  void start();
  /// A turn of the job's thread, then a step of the program.
  void turn(const Fabric& fabric);
  /// Ends at once. Its connections close unless its host has lost its power.
  void die();

  unsigned rank() const { return rank_; }
  const Plan& plan() const { return scenario_.plans[rank_]; }
  job::Member* member() const { return member_.get(); }
  Phase phase() const { return phase_; }
  /// Whether it takes turns.
  bool is_alive() const { return member_ != nullptr; }
  bool has_started() const { return started_at_.has_value(); }
  bool has_joined() const { return joined_at_.has_value(); }
  bool has_ended() const { return phase_ == Phase::ended; }

  std::optional<Clock::time_point> started_at() const { return started_at_; }
  std::optional<Clock::time_point> joined_at() const { return joined_at_; }
  /// When the job failed on this process.
  std::optional<Clock::time_point> failed_at() const { return failed_at_; }
  std::optional<Clock::time_point> ended_at() const { return ended_at_; }
  /// Why the program ended; empty if it has done everything.
  const std::string& outcome() const { return outcome_; }
  const std::vector<EndOfRun>& ends() const { return ends_; }
  /// Why the processes do not share memory, empty if they do; nullopt before the decision.
  const std::optional<std::string>& why_not_shared() const { return why_not_shared_; }
  std::uint64_t refused() const { return refused_; }

  /// Whether something is the matter with this process, so that others may name it.
  bool is_troubled() const { return troubled_at_.has_value(); }
  std::optional<Clock::time_point> troubled_at() const { return troubled_at_; }
  void trouble();

  // The watched run.
  std::uint32_t watch() const { return watch_; }
  bool is_at_rest() const { return todo_ == 0; }
  std::uint64_t sent_to(unsigned rank) const { return sent_[rank]; }
  std::uint64_t received_from(unsigned rank) const { return received_[rank]; }
  bool has_lost(unsigned rank) const { return lost_[rank]; }
  void take_number(unsigned from, std::uint32_t watch, Clock::time_point due);

 private:
  struct Number {
    unsigned from;
    std::uint32_t watch;
    Clock::time_point due;
  };

  void ask_monitor();
  termination::MemberReport state_of_run();
  void step_program();
  std::optional<std::vector<Blob>> gathered();
  void proceed(const std::vector<Blob>& blobs);
  void compare(const std::vector<Blob>& summaries);
  void enter(Phase phase);
  bool strike(Phase phase);
  void begin_watch();
  void exchange_numbers(const Fabric& fabric);
  void see_verdict();
  void refuse(const std::string& why);
  void end_program(std::string why);
  void note();
  ofi::TrialFindings try_memory() const;
  job::NameOf names() const;

  Net& net_;
  const Scenario& scenario_;
  unsigned number_;
  unsigned rank_;
  Random random_;
  SimulatedNetwork network_;
  std::unique_ptr<job::Member> member_;
  Phase phase_ = Phase::joining;
  Clock::time_point busy_until_{};
  bool struck_ = false;
  std::optional<Clock::time_point> started_at_, joined_at_, failed_at_, ended_at_, troubled_at_;
  std::string outcome_;
  std::vector<EndOfRun> ends_;
  std::optional<std::string> why_not_shared_;
  std::uint64_t refused_ = 0;

  std::uint32_t watch_ = 0;
  unsigned todo_ = 0;     ///< numbers that will be sent
  unsigned answers_ = 0;  ///< numbers that will be sent for numbers received
  std::uint64_t rounds_ = 0;
  std::deque<Number> inbox_;
  std::vector<std::uint64_t> sent_, received_;  ///< [rank], in this run
  std::vector<bool> lost_;                      ///< [rank]
};

}  // namespace toroid::job_simulation
