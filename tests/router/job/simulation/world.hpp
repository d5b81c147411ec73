// A simulated job: its processes, what happens to them, and the rules that must hold.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/random.hpp"
#include "router/job/network.hpp"
#include "tests/router/job/simulation/network.hpp"
#include "tests/router/job/simulation/process.hpp"
#include "tests/router/job/simulation/scenario.hpp"

namespace toroid::job_simulation {

/// Totals of all runs.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t turns = 0;
  std::uint64_t failed = 0;  ///< runs that ended with a failure
};

/// Lets the processes take their turns, in an order drawn from the seed, until all have ended.
///
/// **Checked at every turn:**
/// - no process waits for ever;
/// - a run counts as over only when all its processes are at rest and no number is in flight;
/// - processes with different inputs do not run;
/// - all processes gather the same bytes, and decide alike whether to share memory: only if all can
///   open each other's files, and all or none may read each other's memory.
///
/// **Checked at the end:**
/// - a failure names a process with which something was the matter, and what; so a goodbye never
///   counts as a death, nor a short stop or cut as either;
/// - all processes that were reachable to the end have the same failure, verdicts and losses;
/// - the others noticed a death, a silence or the launcher's end in time;
/// - without any trouble, all processes did everything, and nothing was refused.
///
/// Throws Violation.
class World {
 public:
  World(const Scenario& scenario, std::uint64_t seed);
  void run(Tally& tally);
  /// The scenario, and how the processes have ended so far.
  std::string text() const;

 private:
  using Time = Clock::time_point;

  unsigned size() const { return scenario_.size(); }
  Process& process(unsigned number) { return *processes_[number]; }
  Process& hub() { return process(0); }
  void at(Clock::duration after_begin, std::function<void()> event);

  void plan_starts();
  void plan_fates();
  void plan_fate(unsigned rank);
  void plan_launcher();
  void plan_strangers();
  void sleep();
  void start(unsigned number);
  void kill(Process& process, bool silently);
  void stop(Process& process, std::optional<milliseconds> length);
  void cut(Process& process, milliseconds length);
  void tell_of_death(unsigned rank);
  void tell_of_launcher(unsigned number);
  void visit(bool speaks);

  bool step();
  void take_turn(unsigned number);
  void choose_members();
  void check_verdict(Process& seer);
  void check_agreement();
  void check_sharing();
  bool can_share() const;

  void check_outcomes();
  void check_truth(const Process& process);
  bool is_about_inputs(const std::string& text) const;
  bool may_blame(unsigned rank, const std::string& text, const Process& by);
  void check_equality();
  static void check_end_of_run(unsigned rank, const EndOfRun& end, const EndOfRun& at_hub);
  void check_abandonment(const Process& process);
  void check_promptness();
  void check_calm();
  std::optional<Time> must_know_by(const Process& process);
  bool has_fate(Fate fate) const;
  long count_of_causes() const;
  static bool is_unreachable(const Process& process);
  static bool is_cut_off(const Process& process);
  bool is_reliable(const Process& process) const;

  Scenario scenario_;
  Random random_;
  Net net_;
  std::vector<std::unique_ptr<Process>> processes_;  ///< [number]; the last may be a double
  std::vector<Time> stopped_until_;                  ///< [number]
  Fabric members_;                                   ///< [rank]
  std::multimap<Time, std::function<void()>> events_;
  Time begin_ = net_.now();
  Time last_event_ = begin_;
  std::optional<Time> launcher_died_;
  std::optional<Time> awake_at_;  ///< when the processes go on after they all have slept
  std::vector<std::unique_ptr<job::Stream>> strangers_;
  std::uint32_t judged_ = 0;  ///< the latest watch whose verdict has been checked
  std::uint64_t turns_ = 0;
};

}  // namespace toroid::job_simulation
