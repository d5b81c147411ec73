// The processes of a launched run, from the first one's start to the last one's end.
#pragma once

#include <chrono>
#include <csignal>
#include <vector>

#include "tools/run/child.hpp"

namespace toroid {

/// Starts processes and waits for them. Protocol: when one fails or the launcher is interrupted,
/// the others get a grace to end by themselves, then SIGTERM, then SIGKILL. **Joining:** a local
/// process that joins a run of several writes its rank into a pipe. One that ends well without
/// having joined, while others wait for it there, has failed. The main thread calls it.
class Children {
 public:
  /// `grace`: how long the others get to end by themselves. `goes_on`: a signal that ends any
  /// process that has joined, but 0, leaves the others alone.
  Children(std::chrono::milliseconds grace, bool goes_on);
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Starts a process of this host, or, with ChildCommand::input, of another one.
  void start(ChildCommand command);
  /// Waits until all have ended and says on standard error which did not end well. Returns the exit
  /// code of the run.
  int wait();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { running, grace, terminated, killed };

  void handle(int number);
  void reap();
  void read_who_joins();
  void miss_those_who_did_not_join();
  void press();
  void begin_grace();
  bool any_running() const;
  int exit_code() const;

  bool may_be_missed(const Child& child) const;

  std::chrono::milliseconds grace_;
  bool goes_on_;
  std::vector<Child> children_;  ///< by rank
  Pipe joining_;                 ///< of ranks, 4 bytes each
  bool is_missing_ = false;      ///< a process has ended without having joined the others
  sigset_t signals_{};
  sigset_t before_{};
  Stage stage_ = Stage::running;
  Clock::time_point until_{};  ///< end of the stage
  bool interrupted_ = false;
};

}  // namespace toroid
