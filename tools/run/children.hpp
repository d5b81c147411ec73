// The processes of a launched run, from the first start to the last end.
#pragma once

#include <chrono>
#include <csignal>
#include <vector>

#include "tools/run/child.hpp"

namespace toroid {

/// Starts processes and waits for them. When one of them fails or the launcher is interrupted, the
/// others get a grace period to end by themselves, then SIGTERM, then SIGKILL. **Joining:** a local
/// process that joins a run writes its rank into a pipe. A process that ends before it has joined,
/// while others wait for it, counts as failed even if its exit code is 0. So does a local process
/// that ends without a second word, which says that it has left the others. Used by the main
/// thread.
class Children {
 public:
  /// `grace` is the time that the others get to end by themselves. If `goes_on` is set, the others
  /// continue after a signal has ended a process that had joined, unless it was process 0.
  Children(std::chrono::milliseconds grace, bool goes_on);
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Starts a process on this host or, with ChildCommand::input, on another host.
  void start(ChildCommand command);
  /// Waits until all have ended and reports failures on standard error. Returns the exit code of
  /// the run.
  int wait();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { running, grace, terminated, killed };

  void handle(int number);
  void reap();
  void read_pipe();
  void miss_those_who_did_not_join();
  void press();
  void begin_grace();
  bool any_running() const;
  int exit_code() const;

  bool may_be_missed(const Child& child) const;

  std::chrono::milliseconds grace_;
  bool goes_on_;
  std::vector<Child> children_;  ///< by rank
  Pipe joining_;                 ///< carries the words of launcher_pipe.hpp
  bool is_missing_ = false;      ///< a process has ended without joining the others
  sigset_t signals_{};
  sigset_t before_{};
  Stage stage_ = Stage::running;
  Clock::time_point until_{};  ///< when `stage_` ends
  bool interrupted_ = false;
};

}  // namespace toroid
