// All processes of a launched run, until the last one has ended.
#pragma once

#include <chrono>
#include <csignal>
#include <vector>

#include "tools/launch/child.hpp"

namespace toroid {

class Children {
 public:
  /// When one has failed or the launcher is interrupted, the others get `grace` to end by
  /// themselves.
  explicit Children(std::chrono::milliseconds grace);
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  void start(const ChildCommand& command) { children_.emplace_back(command); }
  /// Until all have ended; says on standard error which ones did not end well. The exit code.
  int wait();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { running, grace, terminated, killed };

  void handle(int number);
  void reap();
  void press();
  void begin_grace();
  bool any_running() const;
  int exit_code() const;

  std::chrono::milliseconds grace_;
  std::vector<Child> children_;
  sigset_t signals_{};
  sigset_t before_{};
  Stage stage_ = Stage::running;
  Clock::time_point until_{};  ///< of the stage
  bool interrupted_ = false;
};

}  // namespace toroid
