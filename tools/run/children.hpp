// The processes of a launched run, from the first start to the last end.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "router/job/clocks.hpp"
#include "tools/run/host_processes.hpp"
#include "tools/run/launched_process.hpp"
#include "tools/run/signal_queue.hpp"

namespace toroid {

/// Starts the processes of a run, host by host, and waits for them. When one of them fails or the
/// launcher is interrupted, the others get a grace period to end by themselves, then SIGTERM, then
/// SIGKILL. A stopped process cannot end by itself: if only such processes are left, the grace
/// period ends. **Hosts:** only a few hosts are asked at the same time; the next one is asked when
/// one of them has answered, since an ssh daemon drops connections if too many have not proved who
/// they are. **Joining:** a process that joins a run says so to its launcher. A process that ends
/// before it has joined, while others wait for it, counts as failed even if its exit code is 0. So
/// does a process that ends without saying that it has left the others. A process that is stopped
/// for long while others run also begins the grace period, since the others would wait for it until
/// their patience to join ends. Used by the main thread.
class Children {
 public:
  /// `grace` is the time that the others get to end by themselves. If `goes_on` is set, the others
  /// continue after a signal has ended a process that had joined, unless it was process 0.
  Children(std::chrono::milliseconds grace, bool goes_on) : grace_(grace), goes_on_(goes_on) {}

  /// Adds the processes of one host, whose ranks follow those of the hosts before.
  void add(const LaunchShare& share, std::unique_ptr<HostProcesses> processes);
  /// Starts all, waits until all have ended and reports failures on standard error. Returns the
  /// exit code of the run.
  int wait();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { running, grace, terminated, killed, abandoned };
  struct Host {
    unsigned first, count;
    std::unique_ptr<HostProcesses> processes;
    bool answers = false;
    bool is_lost = false;
  };

  void start_hosts();
  void sleep() const;
  void take_signals();
  void take_news(Host& host);
  void take(const Report& report, Host& host);
  void complain_once_of_loss(const LaunchedProcess& process, Host& host);
  void miss_those_who_did_not_join();
  void miss_those_who_are_stopped();
  void begin_grace(const std::string& cause);
  void press();
  void signal_all(int number);
  bool any_running() const;
  bool only_stopped() const;
  bool may_be_missed(const LaunchedProcess& process) const;
  bool is_held_up_by(const LaunchedProcess& process) const;
  int exit_code() const;

  std::chrono::milliseconds grace_;
  bool goes_on_;
  SignalQueue signals_;
  std::vector<LaunchedProcess> processes_;  ///< by rank
  std::vector<Host> hosts_;
  std::size_t started_ = 0;  ///< number of hosts
  bool is_missing_ = false;  ///< a process has ended without joining the others
  job::AwakeClock clock_{std::chrono::milliseconds(4 * kLookPeriod)};
  std::string cause_;  ///< why the launcher ends the others: "rank 2"
  Stage stage_ = Stage::running;
  Clock::time_point until_{};  ///< when `stage_` ends
  bool interrupted_ = false;
};

}  // namespace toroid
